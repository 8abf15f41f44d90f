const least = [20, 19] as const;

/** What is wrong with a version of Node as `process.versions.node` says it; `undefined` for one that will do. */
export function unfitVersion(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > least[0] || (major === least[0] && minor >= least[1])) return undefined;
  return `restwright needs Node.js ${least.join(".")} or later; this is ${version}.`;
}
