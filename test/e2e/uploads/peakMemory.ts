import { readFileSync, writeFileSync } from "node:fs";

/** Resident memory of a process, in bytes. Linux only. */
export function residentBytes(processId: number): number {
  return statusBytes(processId, "VmRSS");
}

/** The most that it had since {@link forgetPeak}, or since it began. */
export function peakBytes(processId: number): number {
  return statusBytes(processId, "VmHWM");
}

/** From now on the peak is that of what comes: loading modules takes more than they need later. */
export function forgetPeak(processId: number): void {
  writeFileSync(`/proc/${processId}/clear_refs`, "5");
}

function statusBytes(processId: number, name: "VmRSS" | "VmHWM"): number {
  const line = readFileSync(`/proc/${processId}/status`, "utf8").match(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m"));
  if (line === null) throw new Error(`The system does not tell ${name} of process ${processId}.`);
  return Number(line[1]) * 1_024;
}
