import { z } from "zod";
import { portablePattern } from "./portablePattern.js";

/** Schemes whose URLs have a host. */
const withHost = portablePattern(/(?:https?|wss?|ftp):/i) ?? "";

/** A host that is missing, and one with a character that none has; blanks around the text are removed before. */
const badHost = `${withHost}[\\\\/]*(?:[^\\\\/?#]*(?:[<>^|]| +\\S)|[?#]|\\s*$)`;

/** What follows the scheme if the host must be a domain: its last label has letters of ASCII. */
const domain = "//(?:[^/?#]*@)?[^/?#:@]+\\.[a-zA-Z]{2,63}(?::\\d*)?(?:[/?#]|\\s*$)";

/** The pattern of the texts that `z.url()` takes. It parses them as browsers do, so that hosts and paths may be of any alphabet. @see https://url.spec.whatwg.org */
export function urlPattern({ protocol, hostname }: Readonly<Record<string, unknown>>): string {
  const isDomain = String(hostname) === String(z.regexes.domain);
  return `^\\s*(?!${badHost})${schemeOf(protocol)}:${isDomain ? domain : ""}`;
}

/** The pattern of a scheme is one of its small letters; in a URL it may have capitals. */
function schemeOf(protocol: unknown): string {
  const names = protocol instanceof RegExp ? /^\^([a-z?|:()]+)\$$/.exec(protocol.source)?.[1] : undefined;
  const pattern = names === undefined ? undefined : portablePattern(new RegExp(names, "i"));
  return pattern === undefined ? "[A-Za-z][A-Za-z0-9+.-]*" : `(?:${pattern})`;
}
