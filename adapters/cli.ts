#!/usr/bin/env node
import { unfitVersion } from "./cli/nodeVersion.js";

const unfit = unfitVersion(process.versions.node);
if (unfit === undefined) {
  // Later than the question above: what follows may need what an old Node does not have.
  const { runInProcess } = await import("./cli/runInProcess.js");
  await runInProcess(new URL("../package.json", import.meta.url));
} else {
  process.stderr.write(`${unfit}\n`);
  process.exitCode = 1;
}
