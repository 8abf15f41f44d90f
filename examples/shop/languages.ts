import type { Catalogue, LanguageOptions } from "restwright/languages";
import { de } from "../languages/de.js";
import { fr } from "../languages/fr.js";

/** A catalogue with the texts of the shop's own rules. */
function withTexts(catalogue: Catalogue, texts: Readonly<Record<string, string>>): Catalogue {
  return { ...catalogue, texts: { ...catalogue.texts, ...texts } };
}

/** Problems in German and French. */
export const shopLanguages: LanguageOptions = {
  de: withTexts(de, {
    "The total is {sent}, but the sum of the lines is {total}. Leave the total out, or send the sum.":
      "Der Betrag ist {sent}, aber die Summe der Positionen ist {total}. Lassen Sie den Betrag weg, oder senden Sie die Summe.",
    "An order becomes void by its action only: POST /orders/{id}/cancel with a reason.":
      "Eine Bestellung wird nur durch ihre Aktion ungültig: POST /orders/{id}/cancel mit einem Grund.",
    "Only an open order can be canceled; this one is {status}.": "Nur eine offene Bestellung kann storniert werden; diese hat den Status {status}.",
  }),
  fr: withTexts(fr, {
    "The total is {sent}, but the sum of the lines is {total}. Leave the total out, or send the sum.":
      "Le montant est {sent}, mais la somme des lignes est {total}. Omettez le montant, ou envoyez la somme.",
    "An order becomes void by its action only: POST /orders/{id}/cancel with a reason.":
      "Une commande n’est annulée que par son action : POST /orders/{id}/cancel avec un motif.",
    "Only an open order can be canceled; this one is {status}.": "Seule une commande ouverte peut être annulée ; celle-ci a le statut {status}.",
  }),
};
