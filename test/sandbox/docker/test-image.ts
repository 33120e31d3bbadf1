/** A small image with bash, coreutils and perl: enough wherever the image does not matter. */
export const TEST_IMAGE = "debian:bookworm-slim";
