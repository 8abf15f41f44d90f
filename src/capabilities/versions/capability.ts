import type { ApiVersions, Capability, ChosenVersion } from "../../engine/capability/capability.js";
import type { HttpRequest } from "../../ground/http/message.js";
import { RecentlyUsed } from "../../ground/http/recentlyUsed.js";
import { ProblemError } from "../../ground/problem/index.js";
import {
  type Asked,
  readVersionHeaders,
  requireSameVersion,
  requireVersionOfBody,
  type VersionTypes,
  versionInAccept,
  versionInHeader,
  versionTypes,
} from "./askedVersion.js";
import { buildVersions } from "./buildVersions.js";
import { addVersionHeaders, versionNotice } from "./versionHeaders.js";
import { checkVersionsOptions, type VersionsOptions } from "./versionOptions.js";

/**
 * Versions of the API: a request names one by `Accept: application/vnd.shop.v2+json` or `X-API-Version: v2`, and all rows that it sends and gets have the form of that version.
 * The option `versions` of a resource says how its versions differ.
 *
 * @see docs/versions.md
 * @see RFC 9745, RFC 8594
 * @throws {ConfigurationError} for an unknown option, an invalid value, and a default that is not supported
 * @example
 * createService({
 *   resources,
 *   storage,
 *   use: [versions({ vendor: "shop", default: "v1", schema: "v1", supported: { v1: { deprecated: new Date("2026-01-01") }, v2: {} } })],
 * });
 */
export function versions(options: VersionsOptions): Capability {
  checkVersionsOptions(options);
  const names = Object.keys(options.supported);
  return {
    name: "versions",
    resourceOptions: ["versions"],
    open(host) {
      const types = versionTypes(options.vendor, names);
      return {
        versions: { others: buildVersions({ names, schema: options.schema }, host), choose: chooserOf(options, names, types) },
        adds: { jsonType: (version = options.schema) => types.types.get(version) },
      };
    },
  };
}

/** The most values of Accept whose meaning is remembered, and their longest. */
const maxKnown = 256;
const maxLength = 512;

function chooserOf({ default: usual, supported }: VersionsOptions, names: readonly string[], types: VersionTypes): ApiVersions["choose"] {
  const inAccept = remembering(types);
  const chosen = new Map(
    names.flatMap((name) => [undefined, types.types.get(name)].map((type) => [keyOf(name, type), choiceOf(name, supported[name] ?? {}, type)])),
  );
  const byDefault = choiceOf(usual, supported[usual] ?? {}, undefined);
  const choose = ({ headers }: HttpRequest): ChosenVersion => {
    const { accept, apiVersion, contentType } = readVersionHeaders(headers);
    const named = accept === undefined ? undefined : inAccept(accept);
    const header = apiVersion === undefined || apiVersion.includes(",") ? undefined : versionInHeader(apiVersion, types);
    if (named !== undefined && header !== undefined) requireSameVersion(named, header);
    const asked = named ?? header;
    if (contentType !== undefined && /vnd\./i.test(contentType)) requireVersionOfBody(contentType, asked?.version ?? usual, types);
    return (asked && chosen.get(keyOf(asked.version, asked.mediaType))) ?? byDefault;
  };
  return (request) => {
    try {
      return choose(request);
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
  };
}

function keyOf(version: string, mediaType: string | undefined): string {
  return mediaType ?? version;
}

function choiceOf(name: string, state: VersionsOptions["supported"][string], mediaType: string | undefined): ChosenVersion {
  const notice = versionNotice(name, state);
  return {
    name,
    json: mediaType === undefined ? undefined : [mediaType, "application/json"],
    addHeaders: (response, base) => addVersionHeaders(response, notice, mediaType, base),
  };
}

/** Clients send the same few values again and again. */
function remembering(types: VersionTypes): (accept: string) => Asked | undefined {
  const known = new RecentlyUsed<{ readonly asked: Asked | undefined }>(maxKnown);
  return (accept) => {
    if (!/vnd\./i.test(accept)) return undefined;
    const found = known.get(accept);
    if (found !== undefined) return found.asked;
    const asked = versionInAccept(accept, types);
    if (accept.length <= maxLength) known.set(accept, { asked });
    return asked;
  };
}
