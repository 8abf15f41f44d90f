import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Whom the fake lets in. */
export interface FakeKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface Verification {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly body: Buffer;
  readonly keys: FakeKeys;
  readonly region: string;
  readonly nowMs: number;
}

/** How S3 refuses: status and code. */
export type Refusal = readonly [status: number, code: string];

const skewMs = 900_000;

/** Why S3 would refuse the signature; written by the documentation of Amazon alone, without a line of the code that is tested. */
export function refuseSignature(verification: Verification): Refusal | undefined {
  return verification.url.searchParams.has("X-Amz-Signature") ? refuseQuery(verification) : refuseHeader(verification);
}

function refuseHeader({ request, url, body, keys, region, nowMs }: Verification): Refusal | undefined {
  const { headers } = request;
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, id, scope = "", names = "", signature] = pattern.exec(headers.authorization ?? "") ?? [];
  if (signature === undefined) return [403, "AccessDenied"];
  const date = String(headers["x-amz-date"]);
  const hash = String(headers["x-amz-content-sha256"]);
  if (id !== keys.accessKeyId) return [403, "InvalidAccessKeyId"];
  if (scope !== `${date.slice(0, 8)}/${region}/s3/aws4_request`) return [400, "AuthorizationHeaderMalformed"];
  if (!(Math.abs(instantOf(date) - nowMs) <= skewMs)) return [403, "RequestTimeTooSkewed"];
  if (headers["x-amz-security-token"] !== keys.sessionToken) return [403, "InvalidToken"];
  const signed = names.split(";");
  const needed = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-") || name === "content-type")];
  if (needed.some((name) => !signed.includes(name)) || names !== signed.toSorted().join(";")) return [403, "AccessDenied"];
  if (signatureOf({ request, url, names: signed, date, scope, hash, secret: keys.secretAccessKey }) !== signature)
    return [403, "SignatureDoesNotMatch"];
  if (hash !== "UNSIGNED-PAYLOAD" && hash !== createHash("sha256").update(body).digest("hex")) return [400, "XAmzContentSHA256Mismatch"];
  return undefined;
}

function refuseQuery({ request, url, keys, region, nowMs }: Verification): Refusal | undefined {
  const query = (name: string) => url.searchParams.get(`X-Amz-${name}`) ?? "";
  const [date, expires, names] = [query("Date"), Number(query("Expires")), query("SignedHeaders").split(";")];
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  if (query("Algorithm") !== "AWS4-HMAC-SHA256" || !(expires >= 1 && expires <= 604_800)) return [400, "AuthorizationQueryParametersError"];
  if (query("Credential") !== `${keys.accessKeyId}/${scope}`) return [403, "InvalidAccessKeyId"];
  if (query("Security-Token") !== (keys.sessionToken ?? "")) return [403, "InvalidToken"];
  const needed = Object.keys(request.headers).filter((name) => name.startsWith("x-amz-"));
  if (needed.some((name) => !names.includes(name))) return [403, "AccessDenied"];
  if (!names.includes("host") || instantOf(date) > nowMs + skewMs || instantOf(date) + expires * 1_000 < nowMs) return [403, "AccessDenied"];
  const signature = signatureOf({ request, url, names, date, scope, hash: "UNSIGNED-PAYLOAD", secret: keys.secretAccessKey });
  return signature === query("Signature") ? undefined : [403, "SignatureDoesNotMatch"];
}

/** Why S3 would refuse the body for the hash that came with it. */
export function refuseChecksum({ headers }: IncomingMessage, body: Buffer): Refusal | undefined {
  const checksum = headers["x-amz-checksum-sha256"];
  if (checksum === undefined) return undefined;
  if (!/^[A-Za-z0-9+/]{43}=$/.test(String(checksum))) return [400, "InvalidRequest"];
  return checksum === createHash("sha256").update(body).digest("base64") ? undefined : [400, "BadDigest"];
}

interface Signing {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly names: readonly string[];
  readonly date: string;
  readonly scope: string;
  readonly hash: string;
  readonly secret: string;
}

function signatureOf({ request, url, names, date, scope, hash, secret }: Signing): string {
  const path = url.pathname
    .split("/")
    .map((segment) => encode(decodeURIComponent(segment)))
    .join("/");
  const query = [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
  const headers = names.map((name) => `${name}:${String(request.headers[name]).trim().replace(/ +/g, " ")}\n`).join("");
  const canonical = `${request.method}\n${path}\n${query}\n${headers}\n${names.join(";")}\n${hash}`;
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${createHash("sha256").update(canonical).digest("hex")}`;
  let key: Buffer = Buffer.from(`AWS4${secret}`);
  for (const step of scope.split("/")) key = createHmac("sha256", key).update(step).digest();
  return createHmac("sha256", key).update(text).digest("hex");
}

function encode(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function instantOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}
