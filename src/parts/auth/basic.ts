import { isUtf8 } from "node:buffer";
import { optionsCheck, strict, text } from "../../ground/options/index.js";
import { credentialsOf } from "./authorization.js";
import { formatChallenge } from "./challenge.js";
import { type Found, failure, type Verifier } from "./verifier.js";

/** A name and a password as a client sent them. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** The realm of the challenge. */
export interface BasicOptions {
  /** The realm that `WWW-Authenticate` names. Defaults to `api`. */
  readonly realm?: string | undefined;
}

const checkOptions = /* @__PURE__ */ optionsCheck("basic", () => strict<BasicOptions>({ realm: text() }));

/**
 * Verifies `Authorization: Basic <base64 of username:password>`, in UTF-8.
 *
 * @param check Finds the principal of a name and a password; no result means that they are wrong. Compare secrets with {@link equalSecrets} or a password hash.
 * @throws {ConfigurationError} for a realm that is invalid in a header
 * @see RFC 7617
 */
export function basic(check: (credentials: BasicCredentials) => Found | Promise<Found>, options: BasicOptions = {}): Verifier {
  checkOptions(options);
  const challenge = formatChallenge("Basic", { realm: options.realm ?? "api", charset: "UTF-8" });
  return {
    scheme: "Basic",
    challenge: () => challenge,
    async verify(request) {
      const encoded = credentialsOf(request, "Basic");
      if (encoded === undefined) return null;
      const credentials = parseBasic(encoded);
      return credentials === undefined ? failure : ((await check(credentials)) ?? failure);
    },
  };
}

const control = /\p{Cc}/u;

/** `undefined` for anything but canonical base64 of UTF-8 without control characters. */
function parseBasic(encoded: string): BasicCredentials | undefined {
  const bytes = Buffer.from(encoded, "base64");
  // Node ignores invalid characters, so the text is base64 only if encoding the result gives it again.
  if (bytes.toString("base64") !== encoded || !isUtf8(bytes)) return undefined;
  const text = bytes.toString("utf8");
  const colon = text.indexOf(":");
  if (colon === -1 || control.test(text)) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
