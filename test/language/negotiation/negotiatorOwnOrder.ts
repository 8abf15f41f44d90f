/** What the test cases of the package `negotiator` 1.1.0 (MIT) expect if nothing is offered: a header, and what the client accepts, the preferred one first. */
type OwnOrder = readonly [header: string | undefined, expected: readonly string[]];

export const ownCharsets: readonly OwnOrder[] = [
  [undefined, ["*"]],
  ["*", ["*"]],
  ["*, UTF-8", ["*", "UTF-8"]],
  ["*, UTF-8;q=0", ["*"]],
  ["ISO-8859-1", ["ISO-8859-1"]],
  ["UTF-8;q=0", []],
  ["UTF-8, ISO-8859-1", ["UTF-8", "ISO-8859-1"]],
  ["UTF-8;q=0.8, ISO-8859-1", ["ISO-8859-1", "UTF-8"]],
  ["UTF-8;q=0.9, ISO-8859-1;q=0.8, UTF-8;q=0.7", ["UTF-8", "ISO-8859-1", "UTF-8"]],
  ["UTF-8;foo=bar;q=1, ISO-8859-1;q=1", ["UTF-8", "ISO-8859-1"]],
  ['UTF-8;foo="bar,baz", ISO-8859-1', ["UTF-8", "ISO-8859-1"]],
];

export const ownEncodings: readonly OwnOrder[] = [
  [undefined, ["identity"]],
  ["*", ["*"]],
  ["*, gzip", ["*", "gzip"]],
  ["*, gzip;q=0", ["*"]],
  ["*;q=0", []],
  ["*;q=0, identity;q=1", ["identity"]],
  ["identity", ["identity"]],
  ["identity;q=0", []],
  ["gzip", ["gzip", "identity"]],
  ["gzip, compress;q=0", ["gzip", "identity"]],
  ["gzip, deflate", ["gzip", "deflate", "identity"]],
  ["gzip;q=0.8, deflate", ["deflate", "gzip", "identity"]],
  ["gzip;q=0.8, identity;q=0.5, *;q=0.3", ["gzip", "identity", "*"]],
  ["gzip;foo=bar;q=1, deflate;q=1", ["gzip", "deflate", "identity"]],
  ['gzip;foo="bar,baz", deflate', ["gzip", "deflate", "identity"]],
];

export const ownLanguages: readonly OwnOrder[] = [
  [undefined, ["*"]],
  ["*", ["*"]],
  ["*, en", ["*", "en"]],
  ["*, en;q=0", ["*"]],
  ["*;q=0.8, en, es", ["en", "es", "*"]],
  ["en", ["en"]],
  ["en;q=0", []],
  ["en;q=0.8, es", ["es", "en"]],
  ["en;q=0.9, es;q=0.8, en;q=0.7", ["en", "es", "en"]],
  ["en-US, en;q=0.8", ["en-US", "en"]],
  ["en-US, en-GB", ["en-US", "en-GB"]],
  ["en-US;q=0.8, es", ["es", "en-US"]],
  ["nl;q=0.5, fr, de, en, it, es, pt, no, se, fi, ro", ["fr", "de", "en", "it", "es", "pt", "no", "se", "fi", "ro", "nl"]],
  ["en-US;foo=bar;q=1, en-GB;q=1", ["en-US", "en-GB"]],
  ['en-US;foo="bar,baz", en-GB', ["en-US", "en-GB"]],
];

export const ownTypes: readonly OwnOrder[] = [
  [undefined, ["*/*"]],
  ["*/*", ["*/*"]],
  ["application/json", ["application/json"]],
  ["application/json;q=0", []],
  ["application/json;q=0.2, text/html", ["text/html", "application/json"]],
  ["text/*", ["text/*"]],
  ["text/plain, application/json;q=0.5, text/html, */*;q=0.1", ["text/plain", "text/html", "application/json", "*/*"]],
  [
    "text/plain, application/json;q=0.5, text/html, text/xml, text/yaml, text/javascript, text/csv, text/css, text/rtf, text/markdown, application/octet-stream;q=0.2, */*;q=0.1",
    [
      "text/plain",
      "text/html",
      "text/xml",
      "text/yaml",
      "text/javascript",
      "text/csv",
      "text/css",
      "text/rtf",
      "text/markdown",
      "application/json",
      "application/octet-stream",
      "*/*",
    ],
  ],
  ["text/*, text/plain;q=0", ["text/*"]],
  ["text/html;LEVEL=1", ["text/html"]],
  ['text/html;foo="bar,text/css;";fizz="buzz,5", text/plain', ["text/html", "text/plain"]],
  ['text/html;foo="bar\\"", application/json', ["text/html", "application/json"]],
];
