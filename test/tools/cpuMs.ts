/** Milliseconds of processor time of this process since `before`, a value of `process.cpuUsage()`: unlike time that passes, others who work on the machine do not add to it. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
