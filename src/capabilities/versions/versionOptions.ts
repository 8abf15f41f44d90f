import { named, optionsCheck, passing, strict, text } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";

/** What is known of the future of a version. */
export interface VersionState {
  /** Since when it is deprecated, or from when it will be; absent if it is not. */
  readonly deprecated?: Date | undefined;
  /** When it stops to be supported; not before `deprecated`. */
  readonly sunset?: Date | undefined;
  /** A page about the end of the version, for `Link`: a URL, or a path of the service, such as `/docs`, which is put after `baseUrl` or the mount. */
  readonly link?: string | undefined;
}

/** Which versions of the API there are. */
export interface VersionsOptions {
  /** The vendor in media types: `shop` for `application/vnd.shop.v2+json`. */
  readonly vendor: string;
  /** The version of requests that ask for none. */
  readonly default: string;
  /** The version that the schemas of the resources describe. */
  readonly schema: string;
  /** The versions by their names `v1`, `v2` …, the oldest first. */
  readonly supported: Readonly<Record<string, VersionState>>;
}

const date = () => passing("a Date", (value) => value instanceof Date && !Number.isNaN(value.getTime()));
const url = () =>
  passing("a URL, or a path that begins with /", (value) => typeof value === "string" && /^(?:https?:\/\/[^/]|\/)[^<>"\s]*$/.test(value));

const checkOptions = /* @__PURE__ */ optionsCheck("versions", () =>
  strict<VersionsOptions>(
    {
      vendor: passing("lower-case letters, digits, - and .", (value) => typeof value === "string" && /^[a-z0-9][a-z0-9.-]{0,63}$/.test(value)),
      default: text("the name of a version"),
      schema: text("the name of a version"),
      supported: named(strict<VersionState>({ deprecated: date(), sunset: date(), link: url() }), "an object with versions by their names"),
    },
    ["vendor", "default", "schema", "supported"],
  ),
);

/** @throws {ConfigurationError} */
export function checkVersionsOptions(options: VersionsOptions): void {
  checkOptions(options);
  const names = Object.keys(options.supported);
  for (const [index, name] of names.entries()) {
    const number = /^v([1-9]\d{0,8})$/.exec(name)?.[1];
    const before = names[index - 1]?.slice(1);
    if (number === undefined) throw new ConfigurationError(`versions: "supported" has "${name}"; versions are called v1, v2 and so on.`);
    if (before !== undefined && Number(before) >= Number(number))
      throw new ConfigurationError(`versions: "supported" must begin with the oldest version.`);
    checkState(name, options.supported[name] ?? {});
  }
  for (const option of ["default", "schema"] as const) {
    if (names.includes(options[option])) continue;
    throw new ConfigurationError(`versions: "${option}" is "${options[option]}", which is not in "supported": ${names.join(", ")}.`);
  }
}

function checkState(name: string, { deprecated, sunset, link }: VersionState): void {
  if (sunset !== undefined && deprecated !== undefined && sunset < deprecated) {
    throw new ConfigurationError(`versions: the sunset of "${name}" is before its deprecation (RFC 9745 §4).`);
  }
  if (link !== undefined && deprecated === undefined && sunset === undefined) {
    throw new ConfigurationError(`versions: "${name}" has a "link", but neither "deprecated" nor "sunset".`);
  }
}
