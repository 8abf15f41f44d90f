import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "../../../ground/clock/clock.js";
import { callable, clock, listOf, oneOf, optionsCheck, strict, text, whole } from "../../../ground/options/index.js";
import { Secrets } from "../../../ground/secrets/secrets.js";
import { credentialsOf } from "../authorization.js";
import { formatChallenge } from "../challenge.js";
import { equalSecrets } from "../secret.js";
import { type AuthRequest, failure, type Principal, type Verifier } from "../verifier.js";
import { type DigestAlgorithm, digestAlgorithms, digestHa1, isHash } from "./algorithm.js";
import { expectedResponse, parseAnswer } from "./answer.js";
import { Nonces } from "./nonces.js";
import { isSameTarget } from "./sameTarget.js";

/** A user as a service keeps it for Digest. */
export interface DigestUser {
  /** The result of {@link digestHa1} for the realm and the algorithm. */
  readonly ha1: string;
  readonly principal: Principal;
}

export interface DigestOptions {
  /** Finds a user by name. Returns no result if the user does not exist, or has no hash of this algorithm. */
  readonly ha1: (username: string, algorithm: DigestAlgorithm) => DigestUser | null | undefined | Promise<DigestUser | null | undefined>;
  /** The realm that `WWW-Authenticate` names. Defaults to `api`. It is part of every stored hash: another realm makes them invalid. */
  readonly realm?: string | undefined;
  /** What is offered, in this order. Defaults to SHA-256, then MD5 for clients that know nothing else. */
  readonly algorithms?: readonly DigestAlgorithm[] | undefined;
  /** Signs nonces; at least 16 bytes. Defaults to a random one, so a process knows only its own nonces: set the same on all processes of one service. */
  readonly secret?: string | undefined;
  /** How long a nonce is good. Defaults to 300 seconds. */
  readonly nonceSeconds?: number | undefined;
  /** How many nonces in use a process remembers, of some 200 bytes each. Defaults to 10,000; after that the oldest become stale. */
  readonly maxNonces?: number | undefined;
  /** Tells the time. Defaults to the clock of the system. */
  readonly clock?: Clock | undefined;
}

const checkOptions = /* @__PURE__ */ optionsCheck("digest", () =>
  strict<DigestOptions>(
    {
      ha1: callable(),
      realm: text(),
      algorithms: listOf(oneOf(...digestAlgorithms), `an array with "SHA-256", "MD5" or both`, 1),
      secret: text(),
      nonceSeconds: whole(1, 86_400),
      maxNonces: whole(1, 1_000_000),
      clock: clock(),
    },
    ["ha1"],
  ),
);

/**
 * Verifies `Authorization: Digest …` with `qop=auth`, for clients that cannot do better: prefer `basic` over TLS, which lets you store a password hash.
 *
 * A request is accepted once: each count of a nonce is good for one request. If only the nonce is old, or the count was used, the 401 says `stale=true`, and a client
 * repeats the request without asking for the password.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @see RFC 7616
 * @example
 * digest({ realm: "shop", ha1: (username, algorithm) => users.findDigest(username, algorithm) });
 */
export function digest(options: DigestOptions): Verifier {
  checkOptions(options);
  const { realm = "api", algorithms = digestAlgorithms, nonceSeconds = 300, maxNonces = 10_000 } = options;
  const secrets = new Secrets([options.secret ?? randomBytes(32).toString("base64url")]);
  const nonces = new Nonces({ secrets, clock: options.clock ?? systemClock, lifeMs: nonceSeconds * 1_000, maxNonces });
  const isStale = new WeakSet<AuthRequest>();
  const nameless = { username: randomBytes(16).toString("hex"), realm, password: "" };
  const unknown = { "SHA-256": digestHa1(nameless, "SHA-256"), MD5: digestHa1(nameless, "MD5") };
  formatChallenge("Digest", { realm });
  return {
    scheme: "Digest",
    challenge(request) {
      const common = formatChallenge("Digest", { realm, qop: "auth", nonce: nonces.issue() });
      const stale = isStale.has(request) ? ", stale=true" : "";
      return algorithms.map((algorithm) => `${common}, algorithm=${algorithm}, charset=UTF-8, userhash=false${stale}`);
    },
    async verify(request) {
      const credentials = credentialsOf(request, "Digest");
      if (credentials === undefined) return null;
      const answer = parseAnswer(credentials);
      if (answer === undefined || answer.realm !== realm || !algorithms.includes(answer.algorithm)) return failure;
      if (!isSameTarget(answer.uri, request)) return failure;
      const user = checkUser(await options.ha1(answer.username, answer.algorithm), answer.algorithm);
      // An unknown user costs the same work as a wrong password.
      const expected = expectedResponse(answer, request.method, user?.ha1 ?? unknown[answer.algorithm]);
      if (!equalSecrets(expected, answer.response) || user === undefined) return failure;
      if (nonces.use(answer.nonce, answer.count)) return user.principal;
      isStale.add(request);
      return failure;
    },
  };
}

/** @throws {TypeError} for a hash of another algorithm, with which no client could ever log in */
function checkUser(found: DigestUser | null | undefined, algorithm: DigestAlgorithm): DigestUser | undefined {
  if (found === null || found === undefined) return undefined;
  const ha1 = found.ha1.toLowerCase();
  if (isHash(algorithm, ha1)) return { ...found, ha1 };
  throw new TypeError(`digest: "ha1" must return the ${algorithm} hash of the user in hexadecimal, as digestHa1 makes it.`);
}
