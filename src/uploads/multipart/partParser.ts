import type { Readable } from "node:stream";
import busboy from "busboy";
import { malformed } from "./malformed.js";
import type { MultipartLimits } from "./multipartLimits.js";
import type { PartHead } from "./partHead.js";

/** What comes out of a parser. Both are called while a part is written, and may throw. Names and values that busboy could not read are `undefined`. */
export interface PartListener {
  field(name: string | undefined, value: string | undefined): void;
  /** The stream must be read, and must not be destroyed. */
  file(name: string | undefined, filename: string | undefined, stream: Readable): void;
}

/**
 * busboy behind a wall. It is shown one part after the other as {@link FormFrames} has found them, under headers that were judged before; each part must come out
 * as one field or one file.
 *
 * After its first error busboy may emit others, and may never close: nothing is waited for then.
 */
export class PartParser {
  readonly #busboy: busboy.Busboy;
  readonly #boundary: string;
  #shown = 0;
  #seen = 0;
  #fault: unknown;
  #reject: (error: unknown) => void = () => undefined;

  constructor(boundary: string, limits: MultipartLimits, listener: PartListener) {
    this.#boundary = `\r\n--${boundary}`;
    this.#busboy = busboy({
      headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
      defParamCharset: "utf8",
      preservePath: true,
      // One more than may come: it is counted before busboy sees it, and busboy cuts off what reaches its limit.
      limits: {
        fileSize: limits.fileBytes + 1,
        fieldSize: limits.fieldBytes + 1,
        files: limits.files + 1,
        fields: limits.fields + 1,
        parts: limits.parts + 1,
      },
    });
    this.#busboy.on("error", (error) => this.#fail(malformed("The form cannot be read.", error)));
    this.#busboy.on("field", (name: string | undefined, value: string | undefined) => this.#tell(() => listener.field(name, value)));
    this.#busboy.on("file", (name: string | undefined, stream, { filename }) => {
      // A form that ends early is an error of the form, and so one of each file in it.
      stream.on("error", () => undefined);
      this.#tell(() => listener.file(name, filename, stream));
    });
  }

  /** What the part is comes out with its first content, or with its end: busboy holds the last line break back, as it may belong to a boundary. */
  begin(head: PartHead): Promise<void> {
    this.#shown += 1;
    return this.#write(Buffer.from(`\r\n${shownHeaders(head)}\r\n\r\n`, "latin1"));
  }

  add(content: Uint8Array): Promise<void> {
    return this.#write(content);
  }

  /**
   * Ends the part that has begun, or what is before the first one.
   *
   * @throws {ProblemError} MALFORMED_MULTIPART where nothing has come out, and what the listener throws
   */
  async end(): Promise<void> {
    await this.#write(Buffer.from(this.#boundary, "latin1"));
    this.#compare();
  }

  /** Ends the form. Resolves when all files have been emitted. */
  async finish(): Promise<void> {
    await this.#write(Buffer.from("--"));
    await new Promise<void>((resolve, reject) => {
      this.#reject = reject;
      this.#busboy.once("close", resolve);
      this.#busboy.end();
    });
  }

  /** A write that waits for a file to be read would wait for ever: it ends in this error. */
  destroy(error: unknown): void {
    this.#busboy.destroy();
    this.#fail(error);
  }

  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#busboy.write(bytes, (error) => (error ? reject(this.#fault ?? error) : resolve()));
    });
  }

  #compare(): void {
    if (this.#seen !== this.#shown) throw malformed(`Part ${this.#shown} of the form: its Content-Disposition cannot be read.`);
  }

  #tell(tell: () => void): void {
    this.#seen += 1;
    try {
      tell();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#fault ??= error;
    this.#reject(this.#fault);
  }
}

/** A part with a file name, be it an empty one, is a file, as one of this type always is. */
function shownHeaders({ disposition, isFile, charset }: PartHead): string {
  const type = isFile ? "application/octet-stream" : `text/plain; charset=${charset ?? "utf-8"}`;
  return `Content-Disposition: ${disposition}\r\nContent-Type: ${type}`;
}
