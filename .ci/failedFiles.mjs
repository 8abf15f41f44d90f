// Prints the files of a report whose tests failed, a line each: node .ci/failedFiles.mjs <report>
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const { testResults } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
for (const { name, status } of testResults) if (status === "failed") process.stdout.write(`${relative(process.cwd(), name)}\n`);
