import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isRunning, restoreFiles } from "./replacedFiles.js";

// Restores the pages that prepack.ts has replaced: at once, run by npm after it has packed, or after the process has ended that is given.
const root = fileURLToPath(new URL("../../..", import.meta.url));
const pollMs = 100;
const npm = process.argv[2] === undefined ? undefined : Number(process.argv[2]);
while (npm !== undefined && isRunning(npm)) await delay(pollMs);
restoreFiles(root, npm);
