//! Merchant categories: codes of ISO 18245, number of merchants, and amounts of purchases.

/// A merchant category.
#[derive(Clone, Copy, Debug)]
pub(super) struct Category {
    /// The code of four digits (ISO 18245).
    pub code: u16,
    /// Relative number of merchants.
    pub weight: u32,
    /// The median purchase.
    pub median_cents: u32,
    /// The dispersion of purchases.
    pub spread: Spread,
}

/// Standard deviation of the logarithm of a purchase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// 0.35, for fares and subscriptions.
    Narrow,
    /// 0.65, for meals and fuel.
    Usual,
    /// 1.0, for shops with small and large purchases.
    Wide,
}

impl Spread {
    pub(super) const ALL: [Spread; 3] = [Spread::Narrow, Spread::Usual, Spread::Wide];

    /// The standard deviation in hundredths.
    pub(super) fn hundredths(self) -> u32 {
        match self {
            Spread::Narrow => 35,
            Spread::Usual => 65,
            Spread::Wide => 100,
        }
    }
}

use Spread::{Narrow, Usual, Wide};

const fn of(code: u16, weight: u32, median_cents: u32, spread: Spread) -> Category {
    Category { code, weight, median_cents, spread }
}

/// The categories of merchants.
pub(super) const CATEGORIES: &[Category] = &[
    of(4111, 30, 620, Narrow),   // local transport
    of(4121, 40, 1_740, Usual),  // taxis
    of(4511, 9, 28_900, Usual),  // airlines
    of(4722, 4, 41_000, Wide),   // travel agencies
    of(4784, 14, 680, Narrow),   // tolls
    of(4814, 14, 7_450, Narrow), // telephone
    of(4899, 30, 1_799, Narrow), // cable and streaming
    of(4900, 18, 11_500, Usual), // utilities
    of(5111, 7, 4_200, Wide),    // stationery
    of(5200, 18, 7_150, Wide),   // home supply
    of(5211, 12, 9_800, Wide),   // building materials
    of(5251, 10, 3_350, Wide),   // hardware
    of(5310, 35, 3_920, Usual),  // discount stores
    of(5311, 35, 5_380, Wide),   // department stores
    of(5331, 10, 1_640, Usual),  // variety stores
    of(5411, 220, 3_810, Wide),  // groceries
    of(5462, 14, 1_120, Usual),  // bakeries
    of(5499, 24, 1_480, Usual),  // other food
    of(5533, 12, 5_600, Wide),   // car parts
    of(5541, 80, 4_180, Usual),  // service stations
    of(5542, 90, 4_390, Narrow), // fuel pumps
    of(5621, 9, 6_900, Usual),   // women's clothing
    of(5651, 22, 6_150, Usual),  // family clothing
    of(5661, 10, 7_800, Usual),  // shoes
    of(5712, 6, 38_200, Wide),   // furniture
    of(5722, 5, 31_500, Wide),   // household appliances
    of(5732, 14, 14_400, Wide),  // electronics
    of(5734, 8, 4_990, Wide),    // software
    of(5812, 140, 3_240, Usual), // restaurants
    of(5813, 30, 2_580, Usual),  // bars
    of(5814, 150, 1_140, Usual), // fast food
    of(5815, 20, 1_099, Narrow), // digital books and music
    of(5816, 22, 999, Usual),    // digital games
    of(5817, 17, 799, Usual),    // digital applications
    of(5912, 60, 2_090, Wide),   // drug stores
    of(5921, 16, 2_970, Usual),  // liquor
    of(5941, 12, 5_900, Wide),   // sporting goods
    of(5942, 8, 2_340, Usual),   // books
    of(5944, 4, 21_000, Wide),   // jewellery
    of(5945, 8, 3_480, Usual),   // toys
    of(5947, 8, 2_760, Usual),   // gifts
    of(5964, 14, 4_680, Wide),   // catalogues
    of(5968, 20, 1_499, Narrow), // subscriptions
    of(5977, 10, 3_630, Usual),  // cosmetics
    of(5992, 5, 6_420, Usual),   // florists
    of(5995, 12, 4_310, Usual),  // pets
    of(5999, 35, 3_470, Wide),   // other shops
    of(6300, 10, 15_900, Usual), // insurance
    of(7011, 14, 18_800, Usual), // hotels
    of(7230, 14, 4_500, Narrow), // hairdressers
    of(7512, 5, 16_400, Usual),  // car hire
    of(7523, 20, 900, Usual),    // parking
    of(7538, 10, 21_900, Wide),  // car repair
    of(7542, 10, 1_600, Narrow), // car wash
    of(7832, 8, 2_360, Narrow),  // cinemas
    of(7922, 6, 10_800, Usual),  // theatre tickets
    of(7997, 8, 5_950, Narrow),  // clubs
    of(7999, 7, 3_900, Wide),    // recreation
    of(8011, 14, 11_900, Usual), // doctors
    of(8021, 7, 17_800, Usual),  // dentists
    of(8062, 5, 34_700, Wide),   // hospitals
    of(8220, 2, 61_000, Wide),   // colleges
    of(8398, 4, 5_000, Wide),    // charities
    of(9311, 2, 48_000, Wide),   // taxes
    of(9399, 5, 8_300, Wide),    // public services
    of(9402, 8, 1_330, Usual),   // post
];
