/** The image that `cofferdam images build` makes from `Dockerfile.sandbox`. */
export const DEFAULT_IMAGE = "cofferdam-sandbox:latest";
