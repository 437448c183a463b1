/* The checks, in the order in which they run. */
#include "list.h"

const listed_check LISTED[] = {
    {{"exports", "MSDK_ENTRY_SYMBOL", "exports its entry alone, and links nothing of ours", 0, 0}, check_exports},
    {{"load", "P1", "loads, with all symbols found, and without side effects", 0, 1}, check_load},
    {{"entry", "P1", "the entry is cheap, without side effects, and answers the same module for every host", 0, 1}, check_entry},
    {{"tables", "msdk_module", "module, classes, parameters, commands and the tables of kinds are declared as the header says", 0, 1},
     check_tables},
    {{"module", "msdk_module.init", "the module's init goes well", 0, 1}, check_module},
    {{"create", "P1", "create opens nothing, starts nothing, and calls nothing but log and set_error", 1, 1}, check_create},
    {{"init", "msdk_class", "can be initialised and started here", 1, 1}, check_init},
    {{"lifecycle", "msdk_class", "every order of calls that a host may choose goes well", 1, 0}, check_lifecycle},
    {{"restart", "msdk_class", "a hundred starts and stops", 1, 0}, check_restart},
    {{"threads", "[control]", "calls may come on any thread", 1, 0}, check_threads},
    {{"host-old", "P6", "lives with the shorter tables of the older hosts that it says it does", 1, 0}, check_host_old},
    {{"host-new", "P6", "lives with the longer structs of later hosts", 1, 0}, check_host_new},
    {{"stop", "P2", "no host call runs, or comes, once stop has returned", 1, 0}, check_stop},
    {{"formats", "msdk_video_format", "formats that are offered are whole, are accepted again, and are what frames have", 1, 0},
     check_formats},
    {{"odd-sizes", "P3", "odd sizes, with forbidden memory right behind the last row", 1, 0}, check_odd_sizes},
    {{"strides", "P3", "rows are as far apart as the frame says", 1, 0}, check_strides},
    {{"pool", "P4", "a pool without a free frame ends nothing", 1, 0}, check_pool},
    {{"references", "P4", "every reference is given back, once, and not too many are kept", 1, 0}, check_references},
    {{"read-only", "P3", "what was delivered or received is not written", 1, 0}, check_read_only},
    {{"borrowed", "borrowed", "what was lent for a call is not touched afterwards", 1, 0}, check_borrowed},
    {{"pace", "P7", "produce_frame does not wait until the frame is due, a renderer returns fast", 1, 0}, check_pace},
    {{"parameters", "set_param", "every declared bound and choice, long texts, unknown names", 1, 0}, check_parameters},
    {{"commands", "msdk_command", "commands take, in every state, and answer what they declare, or an error", 1, 0}, check_commands},
    {{"inputs", "update_input", "inputs come, change and go, in any order, and leave nothing behind", 1, 0}, check_inputs},
    {{"snapshot", "snapshot", "what is on screen, whole, in a frame that is lent", 1, 0}, check_snapshot},
    {{"packets", "render_encoded_frame", "encoded frames are read only, and given back", 1, 0}, check_packets},
    {{"encode", "encode", "every size, format and rate; a key frame when one is asked for", 1, 0}, check_encode},
    {{"decode", "decode", "what was encoded comes back, no larger than allowed", 1, 0}, check_decode},
    {{"garbage", "MSDK_E_CORRUPT", "decoders live through whatever comes over a network", 1, 0}, check_garbage},
    {{"errors", "set_error", "what is refused is refused in words", 1, 0}, check_errors},
    {{"leaks", "destroy", "memory, threads and descriptors come back", 1, 0}, check_leaks},
};

int32_t checker_count(void) {
  return (int32_t)(sizeof LISTED / sizeof *LISTED);
}

const checker_check *checker_at(int32_t index) {
  return index >= 0 && index < checker_count() ? &LISTED[index].check : NULL;
}
