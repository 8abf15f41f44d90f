const minVersion = [20, 19] as const;

/** The error message for an unsupported version of Node, as in `process.versions.node`; `undefined` for a supported one. */
export function versionFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])) return undefined;
  return `restwright needs Node.js ${minVersion.join(".")} or later; this is ${version}.`;
}
