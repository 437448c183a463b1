static const msdk_class *const classes[] = {&the_class};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .class_count = MSDK_COUNT(classes),
  .vendor = "Example",
  .version = "1.0",
  .classes = classes,
};

MSDK_DEFINE_ENTRY(&module)
