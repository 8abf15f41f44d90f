import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { oneOf } from "../tools/serverOptions.js";
import { wholeNumber } from "../tools/wholeNumber.js";

/** What can be measured. */
export const questions = ["form", "tus", "files", "head"] as const;
export type Question = (typeof questions)[number];

/** What `uploads.ts` is told. */
export interface UploadBenchOptions {
  readonly questions: readonly Question[];
  readonly rounds: number;
  /** Size of the file in a form. */
  readonly formBytes: number;
  /** Size of an upload in pieces, and of one piece. */
  readonly tusBytes: number;
  readonly chunkBytes: number;
  /** Small files, a form each. */
  readonly files: number;
  /** How often an upload is asked for while its body has stalled. */
  readonly tries: number;
  /** Where files go to; on the disk that is to be measured. */
  readonly folder: string;
  /** Whether the parsers that are no dependencies are installed. */
  readonly peers: boolean;
  readonly markdown: boolean;
}

const mebibyte = 1_048_576;

/** @throws {Error} for an option that cannot be */
export function readUploadOptions(): UploadBenchOptions {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: [] },
      rounds: { type: "string", default: "5" },
      "form-mebibytes": { type: "string", default: "512" },
      "tus-mebibytes": { type: "string", default: "1024" },
      "chunk-mebibytes": { type: "string", default: "8" },
      files: { type: "string", default: "1000" },
      tries: { type: "string", default: "50" },
      folder: { type: "string", default: tmpdir() },
      "no-peer": { type: "boolean", default: false },
      markdown: { type: "boolean", default: false },
    },
  });
  const only = values.only.map((value) => oneOf("only", value, questions));
  return {
    questions: only.length === 0 ? questions : only,
    rounds: wholeNumber("rounds", values.rounds),
    formBytes: wholeNumber("form-mebibytes", values["form-mebibytes"]) * mebibyte,
    tusBytes: wholeNumber("tus-mebibytes", values["tus-mebibytes"]) * mebibyte,
    chunkBytes: wholeNumber("chunk-mebibytes", values["chunk-mebibytes"]) * mebibyte,
    files: wholeNumber("files", values.files),
    tries: wholeNumber("tries", values.tries),
    folder: values.folder,
    peers: !values["no-peer"],
    markdown: values.markdown,
  };
}
