/* The checks, in the order in which they run. */
#include "list.h"

const listed_check LISTED[] = {
    {{"exports", "MSDK_ENTRY_SYMBOL", "exports only its entry, and links none of MediaSDK's libraries", 0, 0}, check_exports},
    {{"load", "P1", "loads, with all symbols resolved and without side effects", 0, 1}, check_load},
    {{"entry", "P1", "the entry is fast, has no side effects, and returns the same module to every host", 0, 1}, check_entry},
    {{"tables", "msdk_module", "module, classes, parameters, commands and function tables are declared as the header requires", 0, 1},
     check_tables},
    {{"module", "msdk_module.init", "the module's init succeeds", 0, 1}, check_module},
    {{"create", "P1", "create opens nothing, starts nothing, and calls only log and set_error", 1, 1}, check_create},
    {{"init", "msdk_class", "can be initialised and started on this machine", 1, 1}, check_init},
    {{"lifecycle", "msdk_class", "every permitted order of calls works", 1, 0}, check_lifecycle},
    {{"restart", "msdk_class", "a hundred starts and stops", 1, 0}, check_restart},
    {{"threads", "[control]", "calls may come from any thread", 1, 0}, check_threads},
    {{"host-new", "P6", "works with the longer structs of later hosts", 1, 0}, check_host_new},
    {{"stop", "P2", "no host call runs or begins after stop has returned", 1, 0}, check_stop},
    {{"formats", "msdk_video_format", "offered formats are complete, are accepted by set_format, and match the frames", 1, 0},
     check_formats},
    {{"odd-sizes", "P3", "odd sizes, with inaccessible memory right after the last row", 1, 0}, check_odd_sizes},
    {{"strides", "P3", "rows are as far apart as the frame's stride", 1, 0}, check_strides},
    {{"pool", "P4", "a pool without a free frame does not end the stream", 1, 0}, check_pool},
    {{"references", "P4", "every reference is released exactly once, and not too many are kept", 1, 0}, check_references},
    {{"read-only", "P3", "delivered and received frames are not written to", 1, 0}, check_read_only},
    {{"borrowed", "borrowed", "borrowed memory is not accessed after the call", 1, 0}, check_borrowed},
    {{"pace", "P7", "produce_frame does not wait, a thread delivers at the agreed rate, a renderer returns fast", 1, 0}, check_pace},
    {{"parameters", "set_param", "every declared bound and choice, long texts, unknown names", 1, 0}, check_parameters},
    {{"commands", "msdk_command", "commands work in every state, and return what they declare, or an error", 1, 0}, check_commands},
    {{"inputs", "update_input", "inputs are added, changed and removed in any order, and everything of them is released", 1, 0}, check_inputs},
    {{"snapshot", "snapshot", "the whole rendered image, in the frame that is lent", 1, 0}, check_snapshot},
    {{"packets", "render_encoded_frame", "encoded frames are only read, and are released", 1, 0}, check_packets},
    {{"encode", "encode", "every size, format, rate and bound; a key frame when one is requested", 1, 0}, check_encode},
    {{"decode", "decode", "what was encoded is decoded, within the permitted size", 1, 0}, check_decode},
    {{"garbage", "MSDK_E_CORRUPT", "decoders survive any data from a network", 1, 0}, check_garbage},
    {{"encoded", "MSDK_PRODUCER_ENCODED", "an encoded producer begins with a key frame, and makes one when it is requested", 1, 0},
     check_encoded},
    {{"errors", "set_error", "every refusal has an error text", 1, 0}, check_errors},
    {{"leaks", "destroy", "memory, threads and descriptors are released", 1, 0}, check_leaks},
};

int32_t checker_count(void) {
  return (int32_t)(sizeof LISTED / sizeof *LISTED);
}

const checker_check *checker_at(int32_t index) {
  return index >= 0 && index < checker_count() ? &LISTED[index].check : NULL;
}
