import { createHash } from "node:crypto";
import { DetailedError, type PreviousUpload, Upload, type UploadOptions, type UrlStorage } from "tus-js-client";
import { randomOf } from "../../fuzz/random.js";

/** The same bytes for the same seed; no two mebibytes of them are alike. */
export function bytesOf(length: number, seed: number): Buffer {
  const random = randomOf(seed);
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let index = 0; index < words.length; index++) words[index] = random() * 2 ** 32;
  return Buffer.from(words.buffer, 0, length);
}

/** In lower-case hex, as answers have it. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What a client of tus was answered, request by request. */
export interface Exchange {
  readonly method: string;
  readonly status: number;
  /** `Upload-Offset` of the request. */
  readonly from: number | undefined;
  /** `Upload-Offset` of the answer. */
  readonly offset: number | undefined;
}

export interface TusUploadOptions extends UploadOptions {
  /** Is told where the client goes on. */
  readonly onResumed?: (offset: number) => void;
}

export interface TusUpload {
  readonly upload: Upload;
  readonly exchanges: readonly Exchange[];
  /** Resolves to the address of the upload. */
  readonly done: Promise<string>;
}

/** An upload by tus-js-client as it is; it is begun by `upload.start()`. */
export function tusUpload(file: ConstructorParameters<typeof Upload>[0], options: TusUploadOptions): TusUpload {
  const exchanges: Exchange[] = [];
  const { onResumed, ...rest } = options;
  let succeed: (url: string) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const done = new Promise<string>((resolve, reject) => {
    succeed = resolve;
    fail = reject;
  });
  const upload: Upload = new Upload(file, {
    retryDelays: null,
    ...rest,
    onAfterResponse(request, response) {
      const [from, offset] = [request.getHeader("Upload-Offset"), response.getHeader("Upload-Offset")];
      const exchange = { method: request.getMethod(), status: response.getStatus(), from: numberOf(from), offset: numberOf(offset) };
      exchanges.push(exchange);
      if (exchange.method === "HEAD" && exchange.status === 200 && exchange.offset !== undefined) onResumed?.(exchange.offset);
    },
    onSuccess: () => succeed(upload.url ?? ""),
    onError: (error) => fail(new UploadFailed(error)),
  });
  return { upload, exchanges, done };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === null ? undefined : Number(text);
}

/** What ended an upload. The client's own error holds its sockets, and nobody can read it. */
class UploadFailed extends Error {
  readonly status: number | undefined;

  constructor(error: Error) {
    super(error.message);
    this.status = error instanceof DetailedError ? error.originalResponse?.getStatus() : undefined;
  }
}

/** Where a client remembers what it has begun. Its own storage in a file is not in its types. */
export class RememberedUploads implements UrlStorage {
  readonly #all = new Map<string, PreviousUpload>();

  async findAllUploads() {
    return [...this.#all.values()];
  }

  async findUploadsByFingerprint(fingerprint: string) {
    return [...this.#all].filter(([key]) => key.startsWith(`${fingerprint} `)).map(([, upload]) => upload);
  }

  async removeUpload(key: string) {
    this.#all.delete(key);
  }

  async addUpload(fingerprint: string, upload: PreviousUpload) {
    const urlStorageKey = `${fingerprint} ${this.#all.size}`;
    this.#all.set(urlStorageKey, { ...upload, urlStorageKey });
    return urlStorageKey;
  }
}
