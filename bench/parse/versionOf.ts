import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The version of a package that is installed here, behind its name. */
export function versionOf(name: string): string {
  const { version }: { readonly version: string } = require(`${name}/package.json`);
  return `${name} ${version}`;
}
