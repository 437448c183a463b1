/// Descriptions in the manner of real peers, with credentials and fingerprints of nobody.
enum Fixtures {}
