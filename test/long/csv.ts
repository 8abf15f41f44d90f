import { isDeepStrictEqual, parseArgs } from "node:util";
import { judge, randomFile, scan } from "../capabilities/transfer/formats/csvJudge.js";
import { randomOf } from "../fuzz/random.js";

/** Reads random files of CSV with the scanner of imports and with `csv-parse`, and prints where they differ: `npx tsx test/long/csv.ts --files 1000000 --seed 1`. */
const { values } = parseArgs({ options: { files: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } } });
const random = randomOf(Number(values.seed));
const files = Number(values.files);
const sum = { rows: 0, refused: 0, differences: 0 };
const start = performance.now();
for (let count = 0; count < files; count++) {
  const file = randomFile(random);
  const found = scan(file);
  const expected = judge(file);
  sum.rows += expected.rows.length;
  if (expected.fault !== undefined) sum.refused += 1;
  if (isDeepStrictEqual(found, expected)) continue;
  sum.differences += 1;
  console.log(JSON.stringify({ file, found, expected }));
}
const seconds = Math.round((performance.now() - start) / 1_000);
console.log(`${files} files, ${sum.refused} of them refused, ${sum.rows} rows in ${seconds} s: ${sum.differences} differences.`);
if (sum.differences > 0) process.exitCode = 1;
