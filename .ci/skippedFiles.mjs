// Prints the files of a report with tests that were skipped for lack of an engine, a line each: node .ci/skippedFiles.mjs <report>
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const { testResults } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const lacks = ({ assertionResults }) => assertionResults.some(({ meta }) => (meta?.lacks?.length ?? 0) > 0);
for (const result of testResults) if (lacks(result)) process.stdout.write(`${relative(process.cwd(), result.name)}\n`);
