import { change, versions } from "restwright/versions";
import { z } from "zod";

/** In v2 a name has two parts: its first word, and the rest. A name of one word has an empty `familyName`. */
export const nameInParts = change({
  replaces: z.object({ name: z.string() }),
  by: z.object({
    name: z.object({
      givenName: z
        .string()
        .max(200)
        .regex(/^[^ ]*$/, "Must be one word."),
      familyName: z.string().max(200).default(""),
    }),
  }),
  read({ name }) {
    const space = name.indexOf(" ");
    return { name: space === -1 ? { givenName: name, familyName: "" } : { givenName: name.slice(0, space), familyName: name.slice(space + 1) } };
  },
  write: ({ name: { givenName, familyName } }) => ({ name: familyName === "" ? givenName : `${givenName} ${familyName}` }),
  equals: {
    "name.givenName": (value) => ({
      op: "or",
      args: [
        { op: "eq", path: ["name"], value },
        { op: "like", path: ["name"], parts: [`${value} `, { any: "many" }] },
      ],
    }),
    // The part before it is one word: a name with another space before that has a longer rest.
    "name.familyName": (value) =>
      value === ""
        ? { op: "not", arg: { op: "like", path: ["name"], parts: [{ any: "many" }, " ", { any: "one" }, { any: "many" }] } }
        : {
            op: "and",
            args: [
              { op: "like", path: ["name"], parts: [{ any: "many" }, ` ${value}`] },
              { op: "not", arg: { op: "like", path: ["name"], parts: [{ any: "many" }, " ", { any: "many" }, ` ${value}`] } },
            ],
          },
  },
});

/** v1 is what requests get that ask for no version; it is deprecated. */
export const shopVersions = () =>
  versions({
    vendor: "shop",
    default: "v1",
    schema: "v1",
    supported: { v1: { deprecated: new Date("2026-11-01T00:00:00Z"), sunset: new Date("2027-11-01T00:00:00Z"), link: "/docs" }, v2: {} },
  });
