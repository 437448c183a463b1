static msdk_result fail(msdk_self *self, msdk_result result, const char *text) {
  self->host->set_error(self->context, result, text);
  return result;
}

/* P1: opens nothing, starts nothing. That is for init. */
static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = (msdk_self *)calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }
