import busboy from "busboy";
import { malformed } from "./malformed.js";
import type { MultipartLimits } from "./multipartLimits.js";
import type { PartHead } from "./partHead.js";

/** Receives the parsed parts. Both methods are called while a part is written, and may throw. Names and values that busboy cannot decode are `undefined`. */
export interface PartListener {
  field(name: string | undefined, value: string | undefined): void;
  file(name: string | undefined, filename: string | undefined): void;
}

/**
 * Isolates busboy. It receives one part at a time, as split by {@link FormFrames}, with validated headers; for each part it must emit exactly one field or one
 * file. Files are passed to it without their content.
 *
 * After its first error busboy may emit more errors, and may never close, so nothing waits for it then.
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
      // One more than allowed: FormTally enforces the limits before busboy, which truncates parts that reach its limit.
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
      // The content does not pass through this stream, but the parser waits until it is read. If the form ends early, the form and its files report the error.
      stream.on("error", () => undefined).resume();
      this.#tell(() => listener.file(name, filename));
    });
  }

  /** busboy emits the part with its first content or with its end, because it holds back the last line break, which may belong to a boundary. */
  begin(head: PartHead): Promise<void> {
    this.#shown += 1;
    return this.#write(Buffer.from(`\r\n${shownHeaders(head)}\r\n\r\n`, "latin1"));
  }

  /** Adds content of a field. */
  add(content: Uint8Array): Promise<void> {
    return this.#write(content);
  }

  /**
   * Ends the current part, or the preamble.
   *
   * @throws {ProblemError} MALFORMED_MULTIPART if busboy emitted nothing, and errors of the listener
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

  /** Rejects a pending write with this error; otherwise it would wait forever for a file to be read. */
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

/** Sets a type that makes busboy treat the part as a file or a field, to match `isFile`, even if the file name is empty. */
function shownHeaders({ disposition, isFile, charset }: PartHead): string {
  const type = isFile ? "application/octet-stream" : `text/plain; charset=${charset ?? "utf-8"}`;
  return `Content-Disposition: ${disposition}\r\nContent-Type: ${type}`;
}
