import { basename } from "node:path";
import { UsageError } from "../commandError.js";
import { versions } from "./versions.js";

const maxLength = 214;
const taken: readonly string[] = ["node_modules", "favicon.ico", "restwright", ...Object.keys(versions)];

/**
 * Checks the name of a package by the rules of npm for new packages.
 *
 * @throws {UsageError}
 */
export function parsePackageName(name: string): string {
  if (name.length > maxLength || !/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name))
    throw new UsageError(`--name must have only lower-case letters, digits, "-", "_" and ".", and begin with a letter or a digit; got "${name}".`);
  // npm refuses to install a package into a project of the same name.
  if (taken.includes(name)) throw new UsageError(`--name must not be the name of a package that the project may need; got "${name}".`);
  return name;
}

/** The name of the package in a folder: `Tea Shop` → `tea-shop`. */
export function packageNameOf(folder: string): string {
  const name = basename(folder)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, maxLength);
  if (name === "") return "my-api";
  return taken.includes(name) ? `${name}-api` : name;
}
