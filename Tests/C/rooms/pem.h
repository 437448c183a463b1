/* A certificate and keys, made for these tests and used for nothing else: P-256, self-signed, good for a hundred years. */
#ifndef PEM_H
#define PEM_H

#include "check.h"

static const char pem_certificate[] =
  "-----BEGIN CERTIFICATE-----\n"
  "MIIBdjCCARugAwIBAgIUctP6A04xDLr+Hcs9mClOvTF5lpcwCgYIKoZIzj0EAwIw\n"
  "DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjEyMjMxNDVaGA8yMTI2MTAyODIyMzE0\n"
  "NVowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCWN\n"
  "7sUEwiIogldTLVaA3wjRSXQxlvf/hY/ON85EX7snoy0kbAGvqYUS0YzQfU0RvYYH\n"
  "/6UjhtHlPPeooTp3TF2jUzBRMB0GA1UdDgQWBBRIljz2ViHj4/oHR2zA9HVVbYh9\n"
  "WjAfBgNVHSMEGDAWgBRIljz2ViHj4/oHR2zA9HVVbYh9WjAPBgNVHRMBAf8EBTAD\n"
  "AQH/MAoGCCqGSM49BAMCA0kAMEYCIQD7wKiewPMH3GHt7eAHItfdxM9DuAROTAw2\n"
  "0swbQeG1XQIhAJtt/Pjohv5Ku/ee4vIi6m1g9ud5JJB31yIlUJt+EIuZ\n"
  "-----END CERTIFICATE-----\n";

static const char pem_key[] =
  "-----BEGIN PRIVATE KEY-----\n"
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghCI/KrJrqXXyOhZc\n"
  "AuSoOJxqax35H/4TQJwnuYnHoCyhRANCAAQlje7FBMIiKIJXUy1WgN8I0Ul0MZb3\n"
  "/4WPzjfORF+7J6MtJGwBr6mFEtGM0H1NEb2GB/+lI4bR5Tz3qKE6d0xd\n"
  "-----END PRIVATE KEY-----\n";

static const char pem_other_key[] =
  "-----BEGIN PRIVATE KEY-----\n"
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdqxqmlYod20SazP2\n"
  "DWIsKclAYwWZjhQU92cGcCw24g2hRANCAASKdQBKq6j55/+0mEvjYBLsQhpZ8WYq\n"
  "STBRh4MNcMTHiE8Tq26B1r0pAdWhbdrGJg9G0qxm3HbkhhDCfBhp90BG\n"
  "-----END PRIVATE KEY-----\n";

/* Of pem_certificate, behind a password. */
static const char pem_locked_key[] =
  "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
  "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjFLsOrZdrA6QICCAAw\n"
  "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHyBAVCwim3hdJLijZhYQccEgZAo\n"
  "TV1vkm4vANV6opWI+LbDgHS69n3StHh7QS62blggndx2eCOtj5XfYn7tG7rWZPB1\n"
  "ZADeIWI5Jzg5+lVt6Ou6vTnLW5pYFlAgrHHZbvYZSFgslsY8apdURRbmU6LSWQbr\n"
  "zowidex7JoweaIxKU+G4NI3H+RAUsZyIjYldp8kKRPI8Rwkb0AWR4stFc7v4t7s=\n"
  "-----END ENCRYPTED PRIVATE KEY-----\n";

static inline void pem_write(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  if (!CHECK(file != NULL)) return;
  fputs(text, file);
  fclose(file);
}

#endif
