#!/usr/bin/env node
import { versionFault } from "./cli/nodeVersion.js";

const fault = versionFault(process.versions.node);
if (fault === undefined) {
  // Imported after the check, because these modules may use features that an old Node does not have.
  const { runInProcess } = await import("./cli/runInProcess.js");
  await runInProcess(new URL("../package.json", import.meta.url));
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
