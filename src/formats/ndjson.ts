import { turnIsOver, yieldToEventLoop } from "../http/yieldToEventLoop.js";
import type { AnsweredList } from "../operation/answerFormat.js";
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

async function writeList({ rows }: AnsweredList): Promise<string> {
  let text = "";
  for (const row of rows) {
    text += `${JSON.stringify(row)}\n`;
    if (turnIsOver()) await yieldToEventLoop();
  }
  return text;
}
