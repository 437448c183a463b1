/* Prints an access token, with which a participant joins a room of a LiveKit server for an hour.
 *
 *     gcc access_token.c $(pkg-config --cflags --libs mediasdk) && ./a.out ROOM USER [listen]
 *
 * The server's API key and secret are in the environment variables MSDK_API_KEY and MSDK_API_SECRET: a command line is seen by all users of
 * the machine. With "listen" the participant receives and does not send. */
#include <mediasdk/mediasdk.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s ROOM USER [listen]\n", argv[0]);
    return 2;
  }
  msdk_access_token_options options = MSDK_INIT(msdk_access_token_options);
  options.api_key = getenv("MSDK_API_KEY");
  options.api_secret = getenv("MSDK_API_SECRET");
  options.room = argv[1];
  options.user_id = argv[2];
  options.lifetime_s = 3600;
  if (argc > 3 && strcmp(argv[3], "listen") == 0) options.grants = MSDK_GRANT_JOIN | MSDK_GRANT_SUBSCRIBE;

  char token[MSDK_ACCESS_TOKEN_MAX + 1];
  msdk_result result = msdk_access_token_create(&options, token, sizeof token, NULL);
  if (result < 0) {
    fprintf(stderr, "%s: %s\n", msdk_status_string(result), msdk_last_error());
    return 1;
  }
  puts(token);
  return 0;
}
