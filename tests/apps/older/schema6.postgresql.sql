

CREATE TABLE public.career_notes (
    career character varying(32) NOT NULL,
    seq integer NOT NULL,
    kind character varying(20) NOT NULL,
    body text NOT NULL,
    created double precision NOT NULL
);

CREATE TABLE public.career_seats (
    evening character varying(32) NOT NULL,
    game text NOT NULL,
    side character varying(60) NOT NULL,
    career character varying(32) NOT NULL
);

CREATE TABLE public.careers (
    id character varying(32) NOT NULL,
    game text NOT NULL,
    name text NOT NULL,
    created double precision NOT NULL
);

CREATE TABLE public.edits (
    scan character varying(32) NOT NULL,
    seq integer NOT NULL,
    kind character varying(20) NOT NULL,
    body text NOT NULL,
    created double precision NOT NULL
);

CREATE TABLE public.evenings (
    id character varying(32) NOT NULL,
    name text NOT NULL,
    teams text NOT NULL,
    created double precision NOT NULL
);

CREATE TABLE public.jobs (
    scan character varying(32) NOT NULL,
    state character varying(12) NOT NULL,
    stage character varying(20) NOT NULL,
    owner character varying(80) NOT NULL,
    lease_until double precision NOT NULL,
    attempts integer NOT NULL,
    interruptions integer NOT NULL,
    error_code character varying(40) NOT NULL,
    error text NOT NULL,
    queued double precision NOT NULL,
    changed double precision NOT NULL
);

CREATE TABLE public.meta (
    key character varying(40) NOT NULL,
    value text
);

CREATE TABLE public.scans (
    id character varying(32) NOT NULL,
    evening character varying(32),
    name text NOT NULL,
    photo character varying(64) NOT NULL,
    deck text NOT NULL,
    game text,
    rules text NOT NULL,
    idempotency character varying(200),
    created double precision NOT NULL,
    scan text,
    view character varying(64),
    joint character varying(64),
    deleted double precision,
    counted boolean DEFAULT false NOT NULL
);

CREATE TABLE public.seats (
    sitting character varying(32) NOT NULL,
    party character varying(60) NOT NULL,
    place integer NOT NULL,
    token character varying(40) NOT NULL,
    phones integer NOT NULL,
    given text,
    given_by character varying(64) NOT NULL,
    turn integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.shares (
    token character varying(40) NOT NULL,
    scan character varying(32) NOT NULL,
    created double precision NOT NULL,
    expires double precision NOT NULL,
    revoked boolean NOT NULL
);

CREATE TABLE public.sittings (
    id character varying(32) NOT NULL,
    scan character varying(32) NOT NULL,
    state character varying(12) NOT NULL,
    seconds double precision NOT NULL,
    ends double precision,
    created double precision NOT NULL,
    version integer NOT NULL
);

INSERT INTO public.edits VALUES ('e76544335e52991d2628', 1, 'rules', '{"kind": "rules", "rules": {"piracy": true}}', 1795356182.1398103);

INSERT INTO public.evenings VALUES ('60e7f1e9f475296ba72a', 'Friday', '{"red": "Zo\u00e9"}', 1795356170.1262789);

INSERT INTO public.jobs VALUES ('e76544335e52991d2628', 'done', '', '', 1795356231.3888354, 1, 0, '', '', 1795356171.3478699, 1795356181.0496738);
INSERT INTO public.jobs VALUES ('68b884b290dda1b147ed', 'done', '', '', 1795356241.5071592, 1, 0, '', '', 1795356181.4758594, 1795356181.5793962);

INSERT INTO public.meta VALUES ('schema', '6');

INSERT INTO public.scans VALUES ('68b884b290dda1b147ed', NULL, 'nothing', 'ce6212b4793b3936695863338e3e993206f47a6340f5112957932ffbdaa2c19c', 'light-speed', 'light-speed', '{"piracy": false, "rocks": null, "asteroids": "auto", "kill_credit": "auto", "teams": null, "face_down": "blocks"}', NULL, 1795356181.4758594, '{"schema": "sightline/scan@1", "game": "light-speed", "photo": {"width_px": 4000, "height_px": 3000}, "camera": {"photo_from_table": [[5.0044726, -1.29767506, 2010.51391], [-0.0561661966, 3.75736728, 834.778826], [-3.45205506e-05, -0.000631841381, 1.0]], "distortion": {"model": "radial", "k1": 0.00908579055, "k2": -0.0040778881, "camera_matrix": [[3012.89375, 0.0, 1998.5758], [0.0, 3012.89375, 1497.89012], [0.0, 0.0, 1.0]]}}, "cards": [{"card": "asteroid-1", "x_mm": 136.789219, "y_mm": -143.77223, "theta_deg": 101.164975, "covariance": [[0.00520354372, -0.00254383312, 3.995225e-05], [-0.00254383312, 0.0118257823, -0.000134178312], [3.995225e-05, -0.000134178312, 0.00123706205]], "confidence": 0.548702538, "corners_px": [[2878.10644, 178.604207], [2848.97406, 407.824012], [2425.51755, 347.120787], [2468.91402, 122.904943]], "score": 0.548702538, "runner_up": {"card": "red-viper", "score": 0.345297039}}, {"card": "blue-avenger", "x_mm": -44.8609122, "y_mm": -145.291382, "theta_deg": 76.0564201, "covariance": [[0.00400694221, 0.00104361755, 6.53889086e-06], [0.00104361755, 0.0120813257, -2.30055724e-05], [6.53889086e-06, -2.30055724e-05, 0.00115525212]], "confidence": 0.973390937, "corners_px": [[1972.52076, 116.874158], [2041.6293, 335.984473], [1631.11498, 419.351179], [1575.78402, 195.210763]], "score": 0.973390937, "runner_up": {"card": "green-avenger", "score": 0.712075233}}, {"card": "blue-ghost", "x_mm": 231.073534, "y_mm": 330.310176, "theta_deg": 92.706465, "covariance": [[0.00573996612, 0.000703384014, -0.000326152969], [0.000703384014, 0.00408620265, 3.80513047e-05], [-0.000326152969, 3.80513047e-05, 0.000269747286]], "confidence": 0.975414336, "corners_px": [[3761.52579, 2437.93079], [3832.47353, 2881.90065], [3227.31705, 2844.71942], [3187.13651, 2406.09124]], "score": 0.975414336, "runner_up": {"card": "green-ghost", "score": 0.658277392}}, {"card": "blue-intruder", "x_mm": -327.865345, "y_mm": 58.6974387, "theta_deg": 161.1061, "covariance": [[0.00800086126, 0.00197639193, 2.27261134e-05], [0.00197639193, 0.00569880186, -5.10208028e-05], [2.27261134e-05, -5.10208028e-05, 0.000807464562]], "confidence": 0.96262598, "corners_px": [[495.215213, 1249.34046], [151.22431, 1349.54606], [107.01221, 959.17424], [433.003801, 868.803972]], "score": 0.96262598, "runner_up": {"card": "green-intruder", "score": 0.589520633}}, {"card": "red-ghost", "x_mm": -361.519631, "y_mm": -107.514163, "theta_deg": 125.909881, "covariance": [[0.0152155519, 0.00762945118, 0.000262371265], [0.00762945118, 0.0105914556, 0.000305499161], [0.000262371265, 0.000305499161, 0.00198893998]], "confidence": 0.974594772, "corners_px": [[565.287585, 413.823137], [339.568954, 613.157825], [55.5311749, 414.308344], [282.238887, 226.757505]], "score": 0.974594772, "runner_up": {"card": "purple-ghost", "score": 0.617242754}}, {"card": "red-moth", "x_mm": 67.7210855, "y_mm": 4.17135097, "theta_deg": 17.6267097, "covariance": [[0.00235745184, -0.000185368847, -4.47260827e-05], [-0.000185368847, 0.00429362604, -4.90657875e-05], [-4.47260827e-05, -4.90657875e-05, 0.000457634903]], "confidence": 0.988637507, "corners_px": [[2263.21678, 633.57392], [2569.31175, 710.331624], [2455.05612, 1082.41284], [2134.31148, 996.083946]], "score": 0.988637507, "runner_up": {"card": "purple-moth", "score": 0.700553656}}, {"card": "red-sidewinder", "x_mm": 298.662049, "y_mm": 3.39880851, "theta_deg": 131.33992, "covariance": [[0.00663449806, -0.00187810844, 5.88774865e-05], [-0.00187810844, 0.00496571754, -7.13253174e-05], [5.88774865e-05, -7.13253174e-05, 0.00084857869]], "confidence": 0.985541761, "corners_px": [[3839.51593, 861.921524], [3668.35542, 1079.13819], [3261.3861, 817.63351], [3437.11002, 616.096599]], "score": 0.985541761, "runner_up": {"card": "purple-sidewinder", "score": 0.66894877}}], "issues": [{"code": "card_covered", "cards": ["asteroid-1"], "message": "asteroid-1 at 2655, 264 in the photo: only 82% of its face shows", "severity": "note"}], "timings_ms": {"decode": 440.798275, "detect": 807.636931, "classify": 777.465841, "rectify": 212.033766, "second_look": 29.447951, "pose": 339.677184, "resolve": 28.2066, "annotate": 0.0}, "table": {"schema": "sightline/table@1", "game": "light-speed", "deck": "light-speed", "rules": {"piracy": false, "rocks": null, "asteroids": "auto", "kill_credit": "auto"}, "cards": [{"card": "asteroid-1", "x_mm": 136.789219, "y_mm": -143.77223, "theta_deg": 101.164975, "covariance": [[0.00520354372, -0.00254383312, 3.995225e-05], [-0.00254383312, 0.0118257823, -0.000134178312], [3.995225e-05, -0.000134178312, 0.00123706205]], "confidence": 0.548702538}, {"card": "blue-avenger", "x_mm": -44.8609122, "y_mm": -145.291382, "theta_deg": 76.0564201, "covariance": [[0.00400694221, 0.00104361755, 6.53889086e-06], [0.00104361755, 0.0120813257, -2.30055724e-05], [6.53889086e-06, -2.30055724e-05, 0.00115525212]], "confidence": 0.973390937}, {"card": "blue-ghost", "x_mm": 231.073534, "y_mm": 330.310176, "theta_deg": 92.706465, "covariance": [[0.00573996612, 0.000703384014, -0.000326152969], [0.000703384014, 0.00408620265, 3.80513047e-05], [-0.000326152969, 3.80513047e-05, 0.000269747286]], "confidence": 0.975414336}, {"card": "blue-intruder", "x_mm": -327.865345, "y_mm": 58.6974387, "theta_deg": 161.1061, "covariance": [[0.00800086126, 0.00197639193, 2.27261134e-05], [0.00197639193, 0.00569880186, -5.10208028e-05], [2.27261134e-05, -5.10208028e-05, 0.000807464562]], "confidence": 0.96262598}, {"card": "red-ghost", "x_mm": -361.519631, "y_mm": -107.514163, "theta_deg": 125.909881, "covariance": [[0.0152155519, 0.00762945118, 0.000262371265], [0.00762945118, 0.0105914556, 0.000305499161], [0.000262371265, 0.000305499161, 0.00198893998]], "confidence": 0.974594772}, {"card": "red-moth", "x_mm": 67.7210855, "y_mm": 4.17135097, "theta_deg": 17.6267097, "covariance": [[0.00235745184, -0.000185368847, -4.47260827e-05], [-0.000185368847, 0.00429362604, -4.90657875e-05], [-4.47260827e-05, -4.90657875e-05, 0.000457634903]], "confidence": 0.988637507}, {"card": "red-sidewinder", "x_mm": 298.662049, "y_mm": 3.39880851, "theta_deg": 131.33992, "covariance": [[0.00663449806, -0.00187810844, 5.88774865e-05], [-0.00187810844, 0.00496571754, -7.13253174e-05], [5.88774865e-05, -7.13253174e-05, 0.00084857869]], "confidence": 0.985541761}]}, "resolution": {"schema": "sightline/resolution@1", "steps": [{"speed": 1, "shots": [{"ship": "red-moth", "laser": 0, "power": 2, "path_mm": [[84.0403259, -37.2832615], [109.315559, -116.832208]], "hit": {"card": "asteroid-1", "edge": "right", "shielded": false}, "margin_mm": 29.7148133, "sigma_mm": 0.105444634, "flip_probability": 0.0, "margin_card": "asteroid-1", "margin_outcome": null}, {"ship": "red-moth", "laser": 1, "power": 1, "path_mm": [[88.6688736, 43.0919776], [220.666891, 298.03278]], "hit": {"card": "blue-ghost", "edge": "left", "shielded": false}, "margin_mm": 48.7778327, "sigma_mm": 0.144910333, "flip_probability": 0.0, "margin_card": "blue-ghost", "margin_outcome": null}], "mined": [{"ship": "red-moth", "source": "asteroid-1", "rocks": 2}], "vaporised": [], "damage": [{"card": "blue-ghost", "team": "red", "points": 1}], "destroyed": [], "gone": []}, {"speed": 2, "shots": [{"ship": "red-sidewinder", "laser": 0, "power": 2, "path_mm": [[291.261021, 39.1756996], [215.442502, 297.785813]], "hit": {"card": "blue-ghost", "edge": "left", "shielded": false}, "margin_mm": 26.5313957, "sigma_mm": 0.175148712, "flip_probability": 0.0, "margin_card": "blue-ghost", "margin_outcome": null}, {"ship": "red-sidewinder", "laser": 1, "power": 1, "path_mm": [[321.942293, -18.4082352], [413.006958, -58.3071776]], "hit": null, "margin_mm": null, "sigma_mm": 0.0, "flip_probability": 0.0, "margin_card": null, "margin_outcome": null}], "mined": [], "vaporised": [], "damage": [{"card": "blue-ghost", "team": "red", "points": 2}], "destroyed": [{"card": "blue-ghost", "taken_by": "red", "points": 2, "rocks_lost": 0, "reason": "with two teams: to the other side, whoever shot it"}], "gone": []}, {"speed": 3, "shots": [{"ship": "blue-intruder", "laser": 0, "power": 1, "path_mm": [[-332.903835, 107.403264], [-339.018909, 424.123653]], "hit": null, "margin_mm": null, "sigma_mm": 0.0, "flip_probability": 0.0, "margin_card": null, "margin_outcome": null}, {"ship": "blue-intruder", "laser": 1, "power": 2, "path_mm": [[-349.827956, 19.2329454], [-385.812232, -85.905049]], "hit": {"card": "red-ghost", "edge": "right", "shielded": true}, "margin_mm": 8.64477878, "sigma_mm": 0.146484549, "flip_probability": 0.0, "margin_card": "red-ghost", "margin_outcome": {"card": "red-ghost", "edge": "right", "shielded": false}}], "mined": [], "vaporised": [], "damage": [], "destroyed": [], "gone": []}, {"speed": 5, "shots": [{"ship": "red-ghost", "laser": 0, "power": 1, "path_mm": [[-319.822371, -116.51983], [-82.5815193, -112.752028]], "hit": {"card": "blue-avenger", "edge": "bottom", "shielded": false}, "margin_mm": 8.94947539, "sigma_mm": 0.28573042, "flip_probability": 1.19320301e-215, "margin_card": "blue-avenger", "margin_outcome": null}, {"ship": "red-ghost", "laser": 1, "power": 2, "path_mm": [[-357.065886, -65.0886083], [-330.207305, 12.5176287]], "hit": {"card": "blue-intruder", "edge": "bottom", "shielded": true}, "margin_mm": 10.7379559, "sigma_mm": 0.156363401, "flip_probability": 0.0, "margin_card": "blue-intruder", "margin_outcome": {"card": "blue-intruder", "edge": "bottom", "shielded": false}}], "mined": [], "vaporised": [], "damage": [{"card": "blue-avenger", "team": "red", "points": 1}], "destroyed": [], "gone": []}, {"speed": 8, "shots": [{"ship": "blue-avenger", "laser": 0, "power": 2, "path_mm": [[0.447997803, -147.267533], [96.897973, -171.214357]], "hit": {"card": "asteroid-1", "edge": "bottom", "shielded": false}, "margin_mm": 11.3655226, "sigma_mm": 0.187804143, "flip_probability": 0.0, "margin_card": "asteroid-1", "margin_outcome": null}, {"ship": "blue-avenger", "laser": 1, "power": 1, "path_mm": [[-32.0435107, -181.187683], [0.0459730349, -246.816772]], "hit": null, "margin_mm": 116.991353, "sigma_mm": 0.127113914, "flip_probability": 0.0, "margin_card": "asteroid-1", "margin_outcome": {"card": "asteroid-1", "edge": "bottom", "shielded": false}}, {"ship": "blue-avenger", "laser": 2, "power": 1, "path_mm": [[-44.9744996, -112.549213], [88.2718889, 424.123653]], "hit": null, "margin_mm": 30.9266226, "sigma_mm": 0.140589511, "flip_probability": 0.0, "margin_card": "red-moth", "margin_outcome": {"card": "red-moth", "edge": "left", "shielded": false}}], "mined": [{"ship": "blue-avenger", "source": "asteroid-1", "rocks": 2}], "vaporised": [], "damage": [], "destroyed": [], "gone": []}], "scores": {"red": {"kills": 2, "rocks": 2, "own": 0, "total": 4}, "blue": {"kills": 0, "rocks": 2, "own": 0, "total": 2}}, "winners": ["red"], "issues": [], "carried": {"blue-avenger": 2, "blue-intruder": 0, "red-ghost": 0, "red-moth": 2, "red-sidewinder": 0}, "pools": {"asteroid-1": 8}}}
', '0091f4aad7f96d523bb93151342ea8694d4ba4ace52e0a0907c5629f3fca0d99', 'eb11798b153ed20b0133b0229048dde31c980b3632d4a36f61527f7da5fac522', NULL, false);
INSERT INTO public.scans VALUES ('e76544335e52991d2628', '60e7f1e9f475296ba72a', 'the first', 'd1a8e070c6ef262cff912c252ab62388acb8773db646a50bc4308d25d2507e23', 'light-speed', 'light-speed', '{"piracy": false, "rocks": null, "asteroids": "auto", "kill_credit": "auto", "teams": null, "face_down": "blocks"}', NULL, 1795356171.3478699, '{"schema": "sightline/scan@1", "game": "light-speed", "photo": {"width_px": 4000, "height_px": 3000}, "camera": {"photo_from_table": [[5.0044726, -1.29767506, 2010.51391], [-0.0561661966, 3.75736728, 834.778826], [-3.45205506e-05, -0.000631841381, 1.0]], "distortion": {"model": "radial", "k1": 0.00908579055, "k2": -0.0040778881, "camera_matrix": [[3012.89375, 0.0, 1998.5758], [0.0, 3012.89375, 1497.89012], [0.0, 0.0, 1.0]]}}, "cards": [{"card": "asteroid-1", "x_mm": 136.789219, "y_mm": -143.77223, "theta_deg": 101.164975, "covariance": [[0.00520354372, -0.00254383312, 3.995225e-05], [-0.00254383312, 0.0118257823, -0.000134178312], [3.995225e-05, -0.000134178312, 0.00123706205]], "confidence": 0.548702538, "corners_px": [[2878.10644, 178.604207], [2848.97406, 407.824012], [2425.51755, 347.120787], [2468.91402, 122.904943]], "score": 0.548702538, "runner_up": {"card": "red-viper", "score": 0.345297039}}, {"card": "blue-avenger", "x_mm": -44.8609122, "y_mm": -145.291382, "theta_deg": 76.0564201, "covariance": [[0.00400694221, 0.00104361755, 6.53889086e-06], [0.00104361755, 0.0120813257, -2.30055724e-05], [6.53889086e-06, -2.30055724e-05, 0.00115525212]], "confidence": 0.973390937, "corners_px": [[1972.52076, 116.874158], [2041.6293, 335.984473], [1631.11498, 419.351179], [1575.78402, 195.210763]], "score": 0.973390937, "runner_up": {"card": "green-avenger", "score": 0.712075233}}, {"card": "blue-ghost", "x_mm": 231.073534, "y_mm": 330.310176, "theta_deg": 92.706465, "covariance": [[0.00573996612, 0.000703384014, -0.000326152969], [0.000703384014, 0.00408620265, 3.80513047e-05], [-0.000326152969, 3.80513047e-05, 0.000269747286]], "confidence": 0.975414336, "corners_px": [[3761.52579, 2437.93079], [3832.47353, 2881.90065], [3227.31705, 2844.71942], [3187.13651, 2406.09124]], "score": 0.975414336, "runner_up": {"card": "green-ghost", "score": 0.658277392}}, {"card": "blue-intruder", "x_mm": -327.865345, "y_mm": 58.6974387, "theta_deg": 161.1061, "covariance": [[0.00800086126, 0.00197639193, 2.27261134e-05], [0.00197639193, 0.00569880186, -5.10208028e-05], [2.27261134e-05, -5.10208028e-05, 0.000807464562]], "confidence": 0.96262598, "corners_px": [[495.215213, 1249.34046], [151.22431, 1349.54606], [107.01221, 959.17424], [433.003801, 868.803972]], "score": 0.96262598, "runner_up": {"card": "green-intruder", "score": 0.589520633}}, {"card": "red-ghost", "x_mm": -361.519631, "y_mm": -107.514163, "theta_deg": 125.909881, "covariance": [[0.0152155519, 0.00762945118, 0.000262371265], [0.00762945118, 0.0105914556, 0.000305499161], [0.000262371265, 0.000305499161, 0.00198893998]], "confidence": 0.974594772, "corners_px": [[565.287585, 413.823137], [339.568954, 613.157825], [55.5311749, 414.308344], [282.238887, 226.757505]], "score": 0.974594772, "runner_up": {"card": "purple-ghost", "score": 0.617242754}}, {"card": "red-moth", "x_mm": 67.7210855, "y_mm": 4.17135097, "theta_deg": 17.6267097, "covariance": [[0.00235745184, -0.000185368847, -4.47260827e-05], [-0.000185368847, 0.00429362604, -4.90657875e-05], [-4.47260827e-05, -4.90657875e-05, 0.000457634903]], "confidence": 0.988637507, "corners_px": [[2263.21678, 633.57392], [2569.31175, 710.331624], [2455.05612, 1082.41284], [2134.31148, 996.083946]], "score": 0.988637507, "runner_up": {"card": "purple-moth", "score": 0.700553656}}, {"card": "red-sidewinder", "x_mm": 298.662049, "y_mm": 3.39880851, "theta_deg": 131.33992, "covariance": [[0.00663449806, -0.00187810844, 5.88774865e-05], [-0.00187810844, 0.00496571754, -7.13253174e-05], [5.88774865e-05, -7.13253174e-05, 0.00084857869]], "confidence": 0.985541761, "corners_px": [[3839.51593, 861.921524], [3668.35542, 1079.13819], [3261.3861, 817.63351], [3437.11002, 616.096599]], "score": 0.985541761, "runner_up": {"card": "purple-sidewinder", "score": 0.66894877}}], "issues": [{"code": "card_covered", "cards": ["asteroid-1"], "message": "asteroid-1 at 2655, 264 in the photo: only 82% of its face shows", "severity": "note"}], "timings_ms": {"decode": 440.798275, "detect": 807.636931, "classify": 777.465841, "rectify": 212.033766, "second_look": 29.447951, "pose": 339.677184, "resolve": 28.2066, "annotate": 0.0}, "table": {"schema": "sightline/table@1", "game": "light-speed", "deck": "light-speed", "rules": {"piracy": false, "rocks": null, "asteroids": "auto", "kill_credit": "auto"}, "cards": [{"card": "asteroid-1", "x_mm": 136.789219, "y_mm": -143.77223, "theta_deg": 101.164975, "covariance": [[0.00520354372, -0.00254383312, 3.995225e-05], [-0.00254383312, 0.0118257823, -0.000134178312], [3.995225e-05, -0.000134178312, 0.00123706205]], "confidence": 0.548702538}, {"card": "blue-avenger", "x_mm": -44.8609122, "y_mm": -145.291382, "theta_deg": 76.0564201, "covariance": [[0.00400694221, 0.00104361755, 6.53889086e-06], [0.00104361755, 0.0120813257, -2.30055724e-05], [6.53889086e-06, -2.30055724e-05, 0.00115525212]], "confidence": 0.973390937}, {"card": "blue-ghost", "x_mm": 231.073534, "y_mm": 330.310176, "theta_deg": 92.706465, "covariance": [[0.00573996612, 0.000703384014, -0.000326152969], [0.000703384014, 0.00408620265, 3.80513047e-05], [-0.000326152969, 3.80513047e-05, 0.000269747286]], "confidence": 0.975414336}, {"card": "blue-intruder", "x_mm": -327.865345, "y_mm": 58.6974387, "theta_deg": 161.1061, "covariance": [[0.00800086126, 0.00197639193, 2.27261134e-05], [0.00197639193, 0.00569880186, -5.10208028e-05], [2.27261134e-05, -5.10208028e-05, 0.000807464562]], "confidence": 0.96262598}, {"card": "red-ghost", "x_mm": -361.519631, "y_mm": -107.514163, "theta_deg": 125.909881, "covariance": [[0.0152155519, 0.00762945118, 0.000262371265], [0.00762945118, 0.0105914556, 0.000305499161], [0.000262371265, 0.000305499161, 0.00198893998]], "confidence": 0.974594772}, {"card": "red-moth", "x_mm": 67.7210855, "y_mm": 4.17135097, "theta_deg": 17.6267097, "covariance": [[0.00235745184, -0.000185368847, -4.47260827e-05], [-0.000185368847, 0.00429362604, -4.90657875e-05], [-4.47260827e-05, -4.90657875e-05, 0.000457634903]], "confidence": 0.988637507}, {"card": "red-sidewinder", "x_mm": 298.662049, "y_mm": 3.39880851, "theta_deg": 131.33992, "covariance": [[0.00663449806, -0.00187810844, 5.88774865e-05], [-0.00187810844, 0.00496571754, -7.13253174e-05], [5.88774865e-05, -7.13253174e-05, 0.00084857869]], "confidence": 0.985541761}]}, "resolution": {"schema": "sightline/resolution@1", "steps": [{"speed": 1, "shots": [{"ship": "red-moth", "laser": 0, "power": 2, "path_mm": [[84.0403259, -37.2832615], [109.315559, -116.832208]], "hit": {"card": "asteroid-1", "edge": "right", "shielded": false}, "margin_mm": 29.7148133, "sigma_mm": 0.105444634, "flip_probability": 0.0, "margin_card": "asteroid-1", "margin_outcome": null}, {"ship": "red-moth", "laser": 1, "power": 1, "path_mm": [[88.6688736, 43.0919776], [220.666891, 298.03278]], "hit": {"card": "blue-ghost", "edge": "left", "shielded": false}, "margin_mm": 48.7778327, "sigma_mm": 0.144910333, "flip_probability": 0.0, "margin_card": "blue-ghost", "margin_outcome": null}], "mined": [{"ship": "red-moth", "source": "asteroid-1", "rocks": 2}], "vaporised": [], "damage": [{"card": "blue-ghost", "team": "red", "points": 1}], "destroyed": [], "gone": []}, {"speed": 2, "shots": [{"ship": "red-sidewinder", "laser": 0, "power": 2, "path_mm": [[291.261021, 39.1756996], [215.442502, 297.785813]], "hit": {"card": "blue-ghost", "edge": "left", "shielded": false}, "margin_mm": 26.5313957, "sigma_mm": 0.175148712, "flip_probability": 0.0, "margin_card": "blue-ghost", "margin_outcome": null}, {"ship": "red-sidewinder", "laser": 1, "power": 1, "path_mm": [[321.942293, -18.4082352], [413.006958, -58.3071776]], "hit": null, "margin_mm": null, "sigma_mm": 0.0, "flip_probability": 0.0, "margin_card": null, "margin_outcome": null}], "mined": [], "vaporised": [], "damage": [{"card": "blue-ghost", "team": "red", "points": 2}], "destroyed": [{"card": "blue-ghost", "taken_by": "red", "points": 2, "rocks_lost": 0, "reason": "with two teams: to the other side, whoever shot it"}], "gone": []}, {"speed": 3, "shots": [{"ship": "blue-intruder", "laser": 0, "power": 1, "path_mm": [[-332.903835, 107.403264], [-339.018909, 424.123653]], "hit": null, "margin_mm": null, "sigma_mm": 0.0, "flip_probability": 0.0, "margin_card": null, "margin_outcome": null}, {"ship": "blue-intruder", "laser": 1, "power": 2, "path_mm": [[-349.827956, 19.2329454], [-385.812232, -85.905049]], "hit": {"card": "red-ghost", "edge": "right", "shielded": true}, "margin_mm": 8.64477878, "sigma_mm": 0.146484549, "flip_probability": 0.0, "margin_card": "red-ghost", "margin_outcome": {"card": "red-ghost", "edge": "right", "shielded": false}}], "mined": [], "vaporised": [], "damage": [], "destroyed": [], "gone": []}, {"speed": 5, "shots": [{"ship": "red-ghost", "laser": 0, "power": 1, "path_mm": [[-319.822371, -116.51983], [-82.5815193, -112.752028]], "hit": {"card": "blue-avenger", "edge": "bottom", "shielded": false}, "margin_mm": 8.94947539, "sigma_mm": 0.28573042, "flip_probability": 1.19320301e-215, "margin_card": "blue-avenger", "margin_outcome": null}, {"ship": "red-ghost", "laser": 1, "power": 2, "path_mm": [[-357.065886, -65.0886083], [-330.207305, 12.5176287]], "hit": {"card": "blue-intruder", "edge": "bottom", "shielded": true}, "margin_mm": 10.7379559, "sigma_mm": 0.156363401, "flip_probability": 0.0, "margin_card": "blue-intruder", "margin_outcome": {"card": "blue-intruder", "edge": "bottom", "shielded": false}}], "mined": [], "vaporised": [], "damage": [{"card": "blue-avenger", "team": "red", "points": 1}], "destroyed": [], "gone": []}, {"speed": 8, "shots": [{"ship": "blue-avenger", "laser": 0, "power": 2, "path_mm": [[0.447997803, -147.267533], [96.897973, -171.214357]], "hit": {"card": "asteroid-1", "edge": "bottom", "shielded": false}, "margin_mm": 11.3655226, "sigma_mm": 0.187804143, "flip_probability": 0.0, "margin_card": "asteroid-1", "margin_outcome": null}, {"ship": "blue-avenger", "laser": 1, "power": 1, "path_mm": [[-32.0435107, -181.187683], [0.0459730349, -246.816772]], "hit": null, "margin_mm": 116.991353, "sigma_mm": 0.127113914, "flip_probability": 0.0, "margin_card": "asteroid-1", "margin_outcome": {"card": "asteroid-1", "edge": "bottom", "shielded": false}}, {"ship": "blue-avenger", "laser": 2, "power": 1, "path_mm": [[-44.9744996, -112.549213], [88.2718889, 424.123653]], "hit": null, "margin_mm": 30.9266226, "sigma_mm": 0.140589511, "flip_probability": 0.0, "margin_card": "red-moth", "margin_outcome": {"card": "red-moth", "edge": "left", "shielded": false}}], "mined": [{"ship": "blue-avenger", "source": "asteroid-1", "rocks": 2}], "vaporised": [], "damage": [], "destroyed": [], "gone": []}], "scores": {"red": {"kills": 2, "rocks": 2, "own": 0, "total": 4}, "blue": {"kills": 0, "rocks": 2, "own": 0, "total": 2}}, "winners": ["red"], "issues": [], "carried": {"blue-avenger": 2, "blue-intruder": 0, "red-ghost": 0, "red-moth": 2, "red-sidewinder": 0}, "pools": {"asteroid-1": 8}}}
', '1d423093c281e3275f1a99bbb6fb0dceb3744a03f8ba1c4355358ba43ed2e3f5', 'eb11798b153ed20b0133b0229048dde31c980b3632d4a36f61527f7da5fac522', NULL, false);

INSERT INTO public.shares VALUES ('kdheLCGNUvxwp4YtfewSJ4kB', 'e76544335e52991d2628', 1795356182.4189153, 1797948182.4189153, false);

ALTER TABLE ONLY public.career_notes
    ADD CONSTRAINT career_notes_pkey PRIMARY KEY (career, seq);

ALTER TABLE ONLY public.career_seats
    ADD CONSTRAINT career_seats_evening_career_key UNIQUE (evening, career);

ALTER TABLE ONLY public.career_seats
    ADD CONSTRAINT career_seats_pkey PRIMARY KEY (evening, game, side);

ALTER TABLE ONLY public.careers
    ADD CONSTRAINT careers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.edits
    ADD CONSTRAINT edits_pkey PRIMARY KEY (scan, seq);

ALTER TABLE ONLY public.evenings
    ADD CONSTRAINT evenings_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (scan);

ALTER TABLE ONLY public.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.scans
    ADD CONSTRAINT scans_idempotency_key UNIQUE (idempotency);

ALTER TABLE ONLY public.scans
    ADD CONSTRAINT scans_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_pkey PRIMARY KEY (sitting, party);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_token_key UNIQUE (token);

ALTER TABLE ONLY public.shares
    ADD CONSTRAINT shares_pkey PRIMARY KEY (token);

ALTER TABLE ONLY public.sittings
    ADD CONSTRAINT sittings_pkey PRIMARY KEY (id);

CREATE INDEX jobs_by_state ON public.jobs USING btree (state, queued);

CREATE INDEX scans_by_age ON public.scans USING btree (created);

CREATE INDEX shares_by_scan ON public.shares USING btree (scan);

CREATE INDEX sittings_by_scan ON public.sittings USING btree (scan);

ALTER TABLE ONLY public.career_notes
    ADD CONSTRAINT career_notes_career_fkey FOREIGN KEY (career) REFERENCES public.careers(id);

ALTER TABLE ONLY public.career_seats
    ADD CONSTRAINT career_seats_career_fkey FOREIGN KEY (career) REFERENCES public.careers(id);

ALTER TABLE ONLY public.career_seats
    ADD CONSTRAINT career_seats_evening_fkey FOREIGN KEY (evening) REFERENCES public.evenings(id);

ALTER TABLE ONLY public.edits
    ADD CONSTRAINT edits_scan_fkey FOREIGN KEY (scan) REFERENCES public.scans(id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_scan_fkey FOREIGN KEY (scan) REFERENCES public.scans(id);

ALTER TABLE ONLY public.scans
    ADD CONSTRAINT scans_evening_fkey FOREIGN KEY (evening) REFERENCES public.evenings(id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_sitting_fkey FOREIGN KEY (sitting) REFERENCES public.sittings(id);

ALTER TABLE ONLY public.shares
    ADD CONSTRAINT shares_scan_fkey FOREIGN KEY (scan) REFERENCES public.scans(id);

ALTER TABLE ONLY public.sittings
    ADD CONSTRAINT sittings_scan_fkey FOREIGN KEY (scan) REFERENCES public.scans(id);


