import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { columns, userLines, type Wrong } from "./userLines.js";

/** Writes a file of users to standard output, and the number of its invalid rows to standard error. */
const { values } = parseArgs({ options: { rows: { type: "string", default: "100000" }, seed: { type: "string", default: "1" } } });
const rows = wholeNumber("--rows", values.rows);
const seed = wholeNumber("--seed", values.seed);

const chunkLength = 65_536;
const counts = new Map<Wrong, number>();

/** In chunks, since a write per row would take many times longer. */
function* chunks(): Generator<string, void, undefined> {
  let chunk = `${columns.join(",")}\n`;
  for (const { text, wrong } of userLines(rows, seed)) {
    if (wrong !== undefined) counts.set(wrong, (counts.get(wrong) ?? 0) + 1);
    chunk += text;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

try {
  await pipeline(chunks, process.stdout);
  const wrong = [...counts].map(([what, count]) => `${count} ${what}`).join(", ");
  console.error(`${rows} rows; wrong: ${wrong || "none"}`);
} catch (error) {
  // The reader has closed the output, as `head` does.
  if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${name} must be a whole number; got "${text}".`);
}
