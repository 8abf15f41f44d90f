import { defineFields, ProblemError, selectFields } from "restwright/fields";
import { z } from "zod";

const userSchema = z.object({
  id: z.int(),
  name: z.string(),
  biography: z.string(),
  address: z.object({ city: z.string(), zip: z.string() }),
  posts: z.array(z.object({ id: z.int(), title: z.string() })),
});

const ada: z.output<typeof userSchema> = {
  id: 1,
  name: "Ada",
  biography: "A very long text.",
  address: { city: "London", zip: "W1" },
  posts: [{ id: 7, title: "Notes" }],
};

// A literal text: the compiler infers the type of the result, and unknown names do not compile.
const toCard = selectFields(userSchema, "id,address{city},posts.title");
const city: string = toCard(ada).address.city;
console.log("a card:", JSON.stringify(toCard(ada)), "in", city);

// Texts from a request: parsed once, then applied to every row.
const userFields = defineFields(userSchema, { heavy: ["biography"], compact: ["id", "name"] });

for (const query of ["", "fields=*,-posts", "fields=name,biography", "exclude=id", "fields=id,adress.city,,name", "fields=nmae"]) {
  const parameters = new URLSearchParams(query);
  const [fields, exclude] = ["fields", "exclude"].map((name) => parameters.get(name) ?? undefined);
  try {
    const rows = [ada].map(userFields.select(userFields.parse({ fields, exclude })));
    console.log(`?${query}:`, JSON.stringify(rows));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    console.log(`?${query}:`, error.status, error.errors.map(({ detail }) => detail).join(" "));
  }
}
