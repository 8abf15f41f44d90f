import type { Readable } from "node:stream";
import { fileName } from "../../blobs/fileName.js";
import { ByteCollector } from "../../http/byteCollector.js";
import { ProblemError } from "../../problem/index.js";
import { alreadyRead } from "../rawBody.js";
import { FileBytes } from "./fileBytes.js";
import { type FormFrame, FormFrames } from "./formFrames.js";
import { FormTally } from "./formTally.js";
import type { MultipartLimits } from "./multipartLimits.js";
import type { AnnouncedForm } from "./multipartRequest.js";
import type { Part } from "./part.js";
import { type PartHead, parsePartHead } from "./partHead.js";
import { PartParser } from "./partParser.js";

/** A part, and what fills it where it is a file. */
interface ReadPart {
  readonly part: Part;
  readonly file?: FileBytes;
}

/**
 * A form while it is read. A chunk is taken from the body only when a part or the bytes of a file are asked for and none are there: so the reader sets the pace,
 * and no more is held than what two chunks bring.
 *
 * The first error ends it: whatever is asked for later ends in the same one.
 */
export class FormReading {
  readonly #chunks: AsyncIterator<Uint8Array, void, undefined>;
  readonly #frames: FormFrames;
  readonly #parser: PartParser;
  readonly #tally: FormTally;
  readonly #parts: ReadPart[] = [];
  /** What the reader has. */
  #current: FileBytes | undefined;
  /** Of the part that is being parsed. */
  #head: PartHead | undefined;
  #place = "";
  /** Of a file. */
  #name: string | undefined;
  /** The value of a field: busboy would keep every chunk, and a client may send single bytes. */
  #field = new ByteCollector();
  #step: Promise<void> | undefined;
  /** Ends a step that is under way for those who wait for it. */
  #abandon: (error: unknown) => void = () => undefined;
  #isOver = false;
  /** Whether nothing at all is what was announced, or more than that has come. */
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
      file: (name, filename, stream) => this.#addFile(name, filename, stream),
    });
  }

  /** The next part, `undefined` behind the last one. What was not read of a file before it is dropped. */
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

  /** Lets go of everything. Nobody waits for a body that may never come. */
  close(): void {
    const error = new Error("The form was left before its end.");
    this.#failure ??= { error };
    this.#abandon(error);
    for (const file of [this.#current, ...this.#parts.map((read) => read.file)]) file?.leave();
    this.#parts.length = 0;
    this.#parser.destroy(error);
    void Promise.resolve(this.#chunks.return?.()).catch(() => undefined);
  }

  /** Parses one more chunk, whoever asks for it. */
  #advance(): Promise<void> {
    this.#step ??= new Promise<void>((resolve, reject) => {
      this.#abandon = reject;
      this.#readChunk().then(resolve, reject);
    }).finally(() => {
      this.#step = undefined;
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
        for (const frame of this.#frames.add(next.value)) await this.#take(frame);
      }
    } catch (error) {
      this.#failure ??= { error };
      throw this.#failure.error;
    }
  }

  async #end(): Promise<void> {
    // The client has sent something, and is not to be told that its form is malformed.
    if (!this.#mayBeEmpty) throw alreadyRead("there are no bytes left of this form");
    this.#frames.end();
    await this.#parser.finish();
    this.#isOver = true;
  }

  async #take(frame: FormFrame): Promise<void> {
    if (frame.kind === "content") return this.#add(frame.bytes);
    if (this.#field.length > 0) await this.#parser.add(this.#field.bytes());
    this.#field = new ByteCollector();
    await this.#parser.end();
    if (frame.kind === "head") await this.#begin(frame.bytes);
  }

  async #add(content: Buffer): Promise<void> {
    if (this.#head?.isFile !== true) {
      this.#tally.add(content.length);
      this.#field.add(content);
      return;
    }
    // What there is room for goes through even where more has come: with it the name of the file is known, to be told.
    const { room } = this.#tally;
    if (room > 0) await this.#parser.add(content.subarray(0, room));
    this.#tally.add(content.length, this.#name);
  }

  async #begin(bytes: Buffer): Promise<void> {
    this.#place = this.#frames.place;
    this.#head = parsePartHead(bytes, this.#place);
    this.#name = undefined;
    this.#tally.begin(this.#head.isFile);
    await this.#parser.begin(this.#head);
  }

  #addField(given: string | undefined, value: string | undefined): void {
    const name = this.#partName(given);
    // busboy has no value where it cannot decode one.
    if (value === undefined) throw new ProblemError("UNKNOWN_CHARSET", `The field ${JSON.stringify(name)} cannot be decoded; send UTF-8.`);
    this.#parts.push({ part: { kind: "field", name, value, declaredContentType: this.#head?.contentType } });
  }

  #addFile(given: string | undefined, filename: string | undefined, stream: Readable): void {
    this.#name = this.#partName(given);
    const file = new FileBytes(() => this.#advance());
    stream.on("data", (chunk: Buffer) => file.add(chunk));
    stream.on("end", () => file.end());
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
