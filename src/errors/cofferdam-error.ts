/** Everything that Cofferdam throws is one of these. */
export abstract class CofferdamError extends Error {
  /** Stable across versions; compare this, not the message. */
  abstract readonly code: string;

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    // Set once here, so that each class is reported under its own name even when it crosses a realm.
    this.name = new.target.name;
  }
}
