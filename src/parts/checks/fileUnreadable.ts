const brand = Symbol.for("restwright.FileUnreadable");

/** A file on disk could not be read, so nothing is known about it; `cause` is the error of the system, if there was one. */
export class FileUnreadable extends Error {
  readonly [brand] = true;
  override readonly name = "FileUnreadable";
  readonly path: string;

  constructor(path: string, reason: string, cause?: unknown) {
    super(`Cannot check the file "${path}": ${reason}.`, { cause });
    this.path = path;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
