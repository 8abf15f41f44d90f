import { addVary } from "../../ground/http/headers/addVary.js";
import { formatHttpDate } from "../../ground/http/headers/dates.js";
import type { HttpResponse, ResponseHeaders } from "../../ground/http/message.js";
import type { VersionState } from "./versionOptions.js";

/** What the answers of a version say of it, apart from their type. */
export interface VersionNotice {
  readonly name: string;
  readonly deprecation: string | undefined;
  readonly sunset: string | undefined;
  /** Relations of `link`. */
  readonly relations: readonly string[];
  /** A URL, or a path of the service; `undefined` without relations. */
  readonly link: string | undefined;
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
    relations,
    link,
  };
}

/**
 * Adds what the answer says of its version.
 *
 * @param mediaType the type that the request asked for, if it named the version by that
 * @param base what precedes a `link` that is a path
 */
export function addVersionHeaders(
  { headers: given }: HttpResponse,
  { name, deprecation, sunset, relations, link }: VersionNotice,
  mediaType: string | undefined,
  base: string,
): void {
  const headers = given as ResponseHeaders;
  headers["x-api-version"] = name;
  if (deprecation !== undefined) headers["deprecation"] = deprecation;
  if (sunset !== undefined) headers["sunset"] = sunset;
  if (link !== undefined) {
    const target = link.startsWith("/") ? base + link : link;
    const links = relations.map((relation) => `<${target}>; rel="${relation}"`);
    headers["link"] = [headers["link"] ?? [], links].flat().join(", ");
  }
  addVary(headers, ["X-API-Version", "Accept"]);
  if (mediaType !== undefined && headers["content-type"] === "application/json") headers["content-type"] = mediaType;
}
