import type { AnsweredList } from "../../engine/operation/answers/answerFormat.js";
import { encodePieces, partsOf } from "../../ground/http/json/writeJson.js";
import type { Format } from "./format.js";

/**
 * Lists as NDJSON, for requests that accept `application/x-ndjson`: a row a line.
 *
 * @see https://github.com/ndjson/ndjson-spec
 * @example
 * formats({ use: [ndjson()] });
 */
export function ndjson(): Format {
  return { name: "ndjson", types: ["application/x-ndjson", "application/ndjson", "application/jsonl"], writeList };
}

function writeList({ rows }: AnsweredList): Promise<Uint8Array> {
  return encodePieces(linesOf(rows));
}

function* linesOf(rows: AnsweredList["rows"]): Generator<string, void, void> {
  for (const row of rows) {
    yield* partsOf(row);
    yield "\n";
  }
}
