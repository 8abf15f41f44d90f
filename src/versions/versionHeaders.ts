import { addVary } from "../http/addVary.js";
import { formatHttpDate } from "../http/dates.js";
import type { HttpResponse, ResponseHeaders } from "../http/message.js";
import type { VersionState } from "./versionOptions.js";

/** What the answers of a version say of it, apart from their type. */
export interface VersionNotice {
  readonly name: string;
  readonly deprecation: string | undefined;
  readonly sunset: string | undefined;
  /** Members of `Link`; empty if there are none. */
  readonly link: string;
}

/**
 * The headers of a version's answers.
 *
 * @see RFC 9745 §2 (Deprecation), RFC 8594 §3 (Sunset), RFC 5829 §3.4 (successor-version)
 */
export function versionNotice(name: string, { deprecated, sunset, link }: VersionState): VersionNotice {
  const relations = [...(deprecated === undefined ? [] : ["deprecation"]), ...(sunset === undefined ? [] : ["sunset"])];
  return {
    name,
    deprecation: deprecated && `@${Math.floor(deprecated.getTime() / 1_000)}`,
    sunset: sunset && formatHttpDate(sunset.getTime()),
    link: link === undefined ? "" : relations.map((relation) => `<${link}>; rel="${relation}"`).join(", "),
  };
}

/** Adds what the answer says of its version. @param mediaType the type that the request asked for, if it named the version by that */
export function addVersionHeaders(
  { headers: given }: HttpResponse,
  { name, deprecation, sunset, link }: VersionNotice,
  mediaType: string | undefined,
): void {
  const headers = given as ResponseHeaders;
  headers["x-api-version"] = name;
  if (deprecation !== undefined) headers["deprecation"] = deprecation;
  if (sunset !== undefined) headers["sunset"] = sunset;
  if (link !== "") headers["link"] = joined(headers["link"], link);
  addVary(headers, ["X-API-Version", "Accept"]);
  if (mediaType !== undefined && headers["content-type"] === "application/json") headers["content-type"] = mediaType;
}

function joined(before: string | readonly string[] | undefined, link: string): string {
  return before === undefined ? link : `${String(before)}, ${link}`;
}
