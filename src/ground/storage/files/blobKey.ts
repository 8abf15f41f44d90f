const blobKey = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether a text is a valid key of a blob. */
export function isBlobKey(text: string): boolean {
  return blobKey.test(text);
}

/** @throws {TypeError} for an invalid key, which may have come from a client */
export function checkBlobKey(text: string): void {
  if (!isBlobKey(text))
    throw new TypeError(
      `A key of a blob must be 1 to 128 characters of A-Z, a-z, 0-9, "_" and "-"; got ${JSON.stringify(String(text).slice(0, 64))}.`,
    );
}
