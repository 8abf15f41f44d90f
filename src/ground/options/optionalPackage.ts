import { ConfigurationError } from "../problem/index.js";

/** An optional package, and what needs it. */
export interface OptionalPackage {
  /** What npm installs: `jose`. */
  readonly name: string;
  /** The version for `npm install`: `6`. */
  readonly version: string;
  /** The function that needs it: `bearerJwt`. */
  readonly neededBy: string;
}

/**
 * Imports an optional package when it is first needed. A static import would end the program before any code of this library could say what to install.
 *
 * @param importPackage has the name of the package as a literal, so that bundlers find it
 * @returns imports the package once; if that fails, the next call tries again. Rejects with a ConfigurationError that says what to install if the package is missing
 * @example
 * const loadJose = optionalPackage(() => import("jose"), { name: "jose", version: "6", neededBy: "bearerJwt" });
 * const { jwtVerify } = await loadJose();
 */
export function optionalPackage<Module>(importPackage: () => Promise<Module>, { name, version, neededBy }: OptionalPackage): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  return () => {
    loading ??= importPackage().catch((cause: unknown) => {
      loading = undefined;
      if (!isMissing(cause, name)) throw cause;
      throw new ConfigurationError(`${neededBy} needs the package ${name}, which is not installed. Run: npm install ${name}@${version}`, { cause });
    });
    return loading;
  };
}

/** Not so for a package that is there and lacks a package that it needs itself: that error has the name of the other one. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const isNotFound = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  return isNotFound && new RegExp(`(?:package|module) ['"]${name}['"/]`).test(error.message);
}
