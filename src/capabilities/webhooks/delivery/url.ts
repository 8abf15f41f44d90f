import { requireText } from "../../../ground/problem/argument.js";
import { problemAt } from "../../../ground/problem/index.js";
import { checkAddress, isAllowedAddress } from "./address.js";
import { parseIp } from "./ip.js";
import { compileNetwork, isAllowedScheme, isDeniedHost, type NetworkPolicy, requirePolicy } from "./network.js";

const maxUrlCharacters = 2_048;
const maxHostCharacters = 253;
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Names of private networks, and reserved names. Each includes all names below it. */
const privateNames = ["localhost", "local", "internal", "intranet", "lan", "home.arpa", "onion"];

/**
 * Normalises the URL of a webhook for storage. The addresses of its host are checked at each connection, not here.
 * One trailing dot of the host is removed.
 *
 * @param policy defaults to a policy without exceptions
 * @throws {ProblemError} WEBHOOK_URL_NOT_HTTPS, WEBHOOK_URL_NOT_ALLOWED
 * @throws {TypeError} for an input that is not text, or an invalid policy
 * @see https://url.spec.whatwg.org/#concept-host-parser
 */
export function checkWebhookUrl(input: string, policy: NetworkPolicy = compileNetwork()): URL {
  requireText("input", input);
  requirePolicy("policy", policy);
  const url = parseUrl(input);
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  if (!isAllowedScheme(url.protocol, url.hostname, policy)) {
    refuse("WEBHOOK_URL_NOT_HTTPS", `The URL begins with "${url.protocol}"; allowed: https:`);
  }
  if (url.username !== "" || url.password !== "") refuseUrl("The URL contains a user name or a password; leave them out.");
  if (url.href.includes("#")) refuseUrl("The URL has a fragment; leave out # and what follows.");
  checkPort(url, policy);
  const address = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  if (isDeniedHost(url.hostname, policy)) refuseUrl(`The host ${url.hostname} is denied.`);
  if (parseIp(address) !== undefined) checkLiteral(address, policy);
  else if (!policy.allowHosts.has(url.hostname)) checkName(url.hostname);
  return url;
}

function parseUrl(input: string): URL {
  if (input.length > maxUrlCharacters) refuseUrl(`The URL has ${input.length} characters; at most ${maxUrlCharacters} are allowed.`);
  // The parser would remove them silently, and store another URL than the one that was sent.
  if (hasControls(input)) refuseUrl("The URL contains a control character.");
  if (input.trim() !== input) refuseUrl("The URL begins or ends with white space.");
  if (!URL.canParse(input)) refuseUrl("The text is not an absolute URL; write one such as https://hooks.example.com/path.");
  return new URL(input);
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
}

function checkPort(url: URL, { allowedPorts }: NetworkPolicy): void {
  // The parser removes the port of the scheme.
  if (url.port === "") return;
  const port = Number(url.port);
  if (allowedPorts?.has(port) ?? port >= 1_024) return;
  refuseUrl(`The port ${port} is not allowed; allowed: ${[url.protocol === "http:" ? 80 : 443, ...(allowedPorts ?? ["1024 to 65535"])].join(", ")}.`);
}

function checkLiteral(address: string, policy: NetworkPolicy): void {
  const isException = isAllowedAddress(address, policy);
  if (!isException && !policy.allowIpLiterals) refuseUrl("The URL names an IP address; name a host.");
  if (checkAddress(address, policy) === "blocked") refuseUrl("The URL names an address that is not on the public internet.");
}

function checkName(hostname: string): void {
  const labels = hostname.split(".");
  if (hostname.length > maxHostCharacters || !labels.every((part) => label.test(part))) {
    refuseUrl("The host is not an internet host name: labels of 1 to 63 letters, digits and inner hyphens, joined by dots.");
  }
  const isPrivate = privateNames.some((name) => hostname === name || hostname.endsWith(`.${name}`));
  if (labels.length === 1 || isPrivate) refuseUrl("The host is a name of a private network; name one that is public.");
}

function refuseUrl(detail: string): never {
  refuse("WEBHOOK_URL_NOT_ALLOWED", detail);
}

function refuse(code: "WEBHOOK_URL_NOT_HTTPS" | "WEBHOOK_URL_NOT_ALLOWED", detail: string): never {
  throw problemAt(code, detail, { pointer: "/url" });
}
