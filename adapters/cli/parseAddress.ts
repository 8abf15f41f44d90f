import { UsageError } from "./commandError.js";

/** The address that an option or an argument names. @throws {UsageError} */
export function parseAddress(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UsageError(`${option} must be an http or https URL; got "${text}".`);
  if (url.username !== "" || url.password !== "") throw new UsageError(`${option} must not hold credentials; give --token or --header.`);
  url.hash = "";
  return url;
}
