import { ByteCollector } from "../../ground/http/body/byteCollector.js";
import { alreadyRead } from "../../ground/http/body/rawBody.js";
import { ProblemError } from "../../ground/problem/index.js";
import { fileName } from "../blobs/fileName.js";
import type { AnnouncedForm } from "./announcedForm.js";
import { FileBytes } from "./fileBytes.js";
import { type FormFrame, FormFrames } from "./formFrames.js";
import { FormTally } from "./formTally.js";
import type { MultipartLimits } from "./multipartLimits.js";
import type { Part } from "./part.js";
import { type PartHead, parsePartHead } from "./partHead.js";
import { PartParser } from "./partParser.js";

/** A part, and the queue of its bytes if it is a file. */
interface ReadPart {
  readonly part: Part;
  readonly file?: FileBytes;
}

/**
 * Reads a form. It reads a chunk of the body only when the reader requests a part or file bytes and none are buffered. So the reader sets the pace, and at most the
 * content of two chunks is buffered.
 *
 * After the first error, every later request fails with the same error.
 */
export class FormReading {
  readonly #chunks: AsyncIterator<Uint8Array, void, undefined>;
  readonly #frames: FormFrames;
  readonly #parser: PartParser;
  readonly #tally: FormTally;
  readonly #parts: ReadPart[] = [];
  /** The file that the reader has. */
  #current: FileBytes | undefined;
  /** The file that is being parsed. */
  #arriving: FileBytes | undefined;
  /** Head of the part that is being parsed. */
  #head: PartHead | undefined;
  #place = "";
  /** Name of the part if it is a file. */
  #name: string | undefined;
  /** The value of a field, collected here because busboy would keep every chunk, and a client may send single bytes. */
  #field = new ByteCollector();
  #step: Promise<void> | undefined;
  /** Rejects the current step for its waiters. */
  #abandon: (error: unknown) => void = () => undefined;
  #isOver = false;
  /** Whether an empty body is not an error: Content-Length is missing or 0, or bytes have arrived. */
  #mayBeEmpty: boolean;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    chunks: AsyncIterator<Uint8Array, void, undefined>,
    { boundary, contentLength }: Pick<AnnouncedForm, "boundary" | "contentLength">,
    limits: MultipartLimits,
  ) {
    this.#mayBeEmpty = !(Number(contentLength) > 0);
    this.#chunks = chunks;
    this.#frames = new FormFrames(boundary);
    this.#tally = new FormTally(limits);
    this.#parser = new PartParser(boundary, limits, {
      field: (name, value) => this.#addField(name, value),
      file: (name, filename) => this.#addFile(name, filename),
    });
  }

  /** The next part; `undefined` after the last one. Unread bytes of the previous file are dropped. */
  async next(): Promise<Part | undefined> {
    this.#current?.leave();
    this.#current = undefined;
    for (;;) {
      const read = this.#parts.shift();
      this.#current = read?.file;
      if (read !== undefined) return read.part;
      if (this.#isOver) return undefined;
      await this.#advance();
    }
  }

  /** Releases all resources. It does not wait for the body, which may never arrive. */
  close(): void {
    const error = new Error("The form was abandoned before its end.");
    this.#failure ??= { error };
    this.#abandon(error);
    for (const file of [this.#current, ...this.#parts.map((read) => read.file)]) file?.leave();
    this.#parts.length = 0;
    this.#parser.destroy(error);
    void Promise.resolve(this.#chunks.return?.()).catch(() => undefined);
  }

  /** Parses one more chunk; concurrent callers share the step. */
  #advance(): Promise<void> {
    this.#step ??= new Promise<void>((resolve, reject) => {
      this.#abandon = reject;
      const end = (settle: () => void) => {
        this.#step = undefined;
        settle();
      };
      this.#readChunk().then(
        () => end(resolve),
        (error: unknown) => end(() => reject(error)),
      );
    });
    return this.#step;
  }

  async #readChunk(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      const next = await this.#chunks.next();
      if (next.done) await this.#end();
      else {
        this.#mayBeEmpty = true;
        for (const frame of this.#frames.add(next.value)) {
          const taking = this.#take(frame);
          if (taking !== undefined) await taking;
        }
      }
    } catch (error) {
      this.#failure ??= { error };
      throw this.#failure.error;
    }
  }

  async #end(): Promise<void> {
    // The client has announced bytes that a body parser has consumed, so its form is not malformed.
    if (!this.#mayBeEmpty) throw alreadyRead("this form has no bytes left");
    this.#frames.end();
    await this.#parser.finish();
    this.#isOver = true;
  }

  /** Content needs no promise. */
  #take(frame: FormFrame): Promise<void> | undefined {
    if (frame.kind !== "content") return this.#endPart(frame);
    this.#tally.add(frame.bytes.length, this.#name);
    if (this.#arriving === undefined) this.#field.add(frame.bytes);
    else this.#arriving.add(frame.bytes);
    return undefined;
  }

  async #endPart(frame: Exclude<FormFrame, { readonly kind: "content" }>): Promise<void> {
    this.#arriving?.end();
    this.#arriving = undefined;
    if (this.#field.length > 0) await this.#parser.add(this.#field.bytes());
    this.#field = new ByteCollector();
    // The parser has ended a file after its head.
    if (this.#head?.isFile !== true) await this.#parser.end();
    if (frame.kind === "head") await this.#begin(frame.bytes);
  }

  async #begin(bytes: Buffer): Promise<void> {
    this.#place = this.#frames.place;
    this.#head = parsePartHead(bytes, this.#place);
    this.#name = undefined;
    this.#tally.begin(this.#head.isFile);
    await this.#parser.begin(this.#head);
    // The content of a file goes from the frames to its reader: the parser would search it for the boundary once more.
    if (this.#head.isFile) await this.#parser.end();
  }

  #addField(given: string | undefined, value: string | undefined): void {
    const name = this.#partName(given);
    // busboy gives `undefined` if it cannot decode the value.
    if (value === undefined) throw new ProblemError("UNKNOWN_CHARSET", `The field ${JSON.stringify(name)} cannot be decoded; send UTF-8.`);
    this.#parts.push({ part: { kind: "field", name, value, declaredContentType: this.#head?.contentType } });
  }

  #addFile(given: string | undefined, filename: string | undefined): void {
    this.#name = this.#partName(given);
    const file = new FileBytes(() => this.#advance());
    this.#arriving = file;
    const part: Part = {
      kind: "file",
      name: this.#name,
      filename: fileName(filename ?? ""),
      declaredContentType: this.#head?.contentType,
      charset: this.#head?.charset,
      bytes: { [Symbol.asyncIterator]: () => file.iterate() },
    };
    this.#parts.push({ part, file });
  }

  #partName(given: string | undefined): string {
    if (given === undefined) throw new ProblemError("MISSING_PART_NAME", `${this.#place} has no "name" in its Content-Disposition, or an empty one.`);
    this.#tally.name(given);
    return given;
  }
}
