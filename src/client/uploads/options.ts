/** Where the addresses of unfinished uploads are kept, such as `localStorage`. */
export interface UploadStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** How far an upload is, in bytes. */
export interface UploadProgress {
  /** What the service has stored. */
  readonly sentBytes: number;
  readonly totalBytes: number;
}

/** A try that failed, and is followed by another one. */
export interface UploadRetry {
  /** Why it failed: a NetworkError, or the answer of the service. */
  readonly error: unknown;
  /** Time until the next try, in milliseconds. `resume()` of the upload begins it at once. */
  readonly delayMs: number;
  /** The number of tries in a row that have failed, from 1. */
  readonly failures: number;
}

/** Options of `startUpload`. */
export interface UploadOptions {
  /** Called when the service has stored a piece, and at the beginning. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Called when a try has failed, before the wait for the next one. */
  readonly onRetry?: ((retry: UploadRetry) => void) | undefined;
  /** Ends the transfer; what was sent stays, and can be continued. `done` rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
  /** Name of the file (default: that of the `File`). */
  readonly filename?: string | undefined;
  /** Further metadata, which the service passes to `onReady`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Bytes of a request (8 MiB). */
  readonly pieceBytes?: number | undefined;
  /** Time of one piece, in milliseconds (300,000). */
  readonly timeoutMs?: number | undefined;
  /** Tries in a row that may fail before the upload does (10). */
  readonly maxRetries?: number | undefined;
  /** Where the address is kept, so that another call with the same file goes on (default: `localStorage` of a page; `false`: nowhere). */
  readonly storage?: UploadStorage | false | undefined;
  /** What identifies the file (default: its name, type, size and time). */
  readonly fingerprint?: ((file: Blob) => string | Promise<string>) | undefined;
}

const names = "onProgress onRetry signal filename metadata pieceBytes timeoutMs maxRetries storage fingerprint".split(" ");

/** @throws {TypeError} for an unknown option */
export function checkUploadOptions(options: object): void {
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw new TypeError(`startUpload has no option "${name}", but ${names.join(", ")}.`);
  }
}
